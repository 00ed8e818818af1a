"""What is measured: a module for each client, with a GROUP of cases. registry.py knows all of them."""
