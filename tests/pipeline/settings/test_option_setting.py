"""Settings with an option of their own: values as of ``--set``, messages with the option."""

import pytest

from pipeline.base.errors import InputError
from pipeline.settings import settings
from pipeline.settings.load import resolve
from pipeline.settings.option_setting import OptionSetting
from pipeline.settings.settings import Setting

pytestmark = pytest.mark.unit


def test_a_setting_has_the_value_of_set_and_its_own_origin():
    own = OptionSetting("nodes", 3, "--nodes 3")
    assert settings.from_options(["nodes=1", own], "live") == {"nodes": Setting(3, "--nodes 3")}
    assert settings.from_options([own, "nodes=1"], "live") == {"nodes": Setting(1, "--set nodes=1")}


def test_a_message_names_the_option():
    own = OptionSetting("nodes", 2, "--nodes 2")
    with pytest.raises(InputError, match=r"^--nodes 2: `nodes` must be one of 1, 3"):
        resolve("live-smoke", None, [own], [])


def test_a_long_option_is_shortened():
    own = OptionSetting("strategies", "MWF", "--strategies " + "x" * 200)
    (setting,) = settings.from_options([own], "live").values()
    assert len(setting.origin) < 100
