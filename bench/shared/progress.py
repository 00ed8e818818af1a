"""What is being done, in one line of a terminal that is overwritten."""


def progress_to(stream):
    """Shows a text; '' removes it. If the stream is not a terminal, nothing is shown."""
    if not stream.isatty():
        return lambda _text: None

    def show(text):
        stream.write(f"\r\x1b[K{text}")
        stream.flush()

    return show
