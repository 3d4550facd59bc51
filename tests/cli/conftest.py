from tests.conftest import Outcome as Outcome
from tests.conftest import Run as Run
