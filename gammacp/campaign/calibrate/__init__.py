"""Error magnitudes that give the same γ on data like the user's."""

from gammacp.campaign.calibrate.calibration import Calibration, ErrorEquivalent, calibrate
from gammacp.campaign.calibrate.curves import Curve, Magnitude

__all__ = ["Calibration", "Curve", "ErrorEquivalent", "Magnitude", "calibrate"]
