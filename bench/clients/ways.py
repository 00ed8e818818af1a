"""The ways in which every case is measured, each in a process of its own."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Way:
    """A connector, or none."""

    name: str
    # The connector through which files must be opened.
    connector: str

    def environment(self, plugins, statistics):
        """The variables that choose the connector; HDF5 reads them when the client is imported."""
        if self.connector == "native":
            return {}
        chosen = {"HDF5_VOL_CONNECTOR": f"{self.connector} under_vol=0;under_info={{}}"}
        if self.connector != "bypass":
            return chosen
        return {**chosen, "HDF5_PLUGIN_PATH": plugins, "BYPASS_VOL_STATS": statistics}


NATIVE = Way("native", "native")
# Native HDF5 once more: how far two equal processes differ is the noise.
AGAIN = Way("again", "native")
# HDF5's own connector that passes everything on: what HDF5's layers cost any connector.
FLOOR = Way("pass_through", "pass_through")
BYPASS = Way("bypass", "bypass")

WAYS = (NATIVE, AGAIN, FLOOR, BYPASS)
# A quick run measures nothing, so there is no noise to know.
QUICK_WAYS = (NATIVE, FLOOR, BYPASS)
