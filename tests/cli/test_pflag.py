"""Command lines as Go's pflag reads them."""

import click
import pytest
from click.testing import CliRunner

from virtcatalog.cli import pflag


@click.command(cls=pflag.Command)
@click.option("--name")
@click.option("-n", "--namespace")
@click.option("--count", type=pflag.Integer(64, signed=True))
@click.option("--on", type=pflag.Switch())
@click.option("--keys", type=pflag.Items(), multiple=True)
@click.option("--loud", is_flag=True)
def command(**options):
    click.echo(
        repr({key: value for key, value in options.items() if value not in (None, ()) and (key != "loud" or value)})
    )


def run(*arguments):
    return CliRunner().invoke(command, arguments)


def read(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    return eval(result.stdout)


def refusal(*arguments):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


def test_a_value_is_behind_a_sign_or_the_next_argument_whatever_it_is():
    assert read("--name=a=b") == read("--name", "a=b") == {"name": "a=b"}
    assert read("--name", "--on") == {"name": "--on"}
    assert read("--name=") == {"name": ""}
    assert read("--name=a", "--name=b") == {"name": "b"}
    assert "'--name' requires an argument" in refusal("--name")


def test_a_shorthand_has_its_value_beside_it_or_behind_a_sign():
    assert read("-n", "team") == read("-nteam") == read("-n=team") == {"namespace": "team"}
    assert read("-n=") == {"namespace": "="}
    assert read("-nn=team") == {"namespace": "n=team"}
    assert "'-n' requires an argument" in refusal("-n")


def test_a_switch_takes_no_argument_of_its_own():
    assert read("--on") == read("--on=1") == read("--on=T") == {"on": True}
    assert read("--on=false") == read("--on=F") == {"on": False}
    assert "unexpected extra argument (false)" in refusal("--on", "false")
    for text in ("yes", "", "tRUE"):
        assert f"{text!r} is neither true nor false" in refusal(f"--on={text}")


def test_clicks_own_switches_take_values_too():
    assert read("--loud=true") == {"loud": True}
    assert read("--loud=false") == read("--help=false") == {}
    assert run("--help=true").stdout.startswith("Usage")


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), ("+7", 7), ("-7", -7), ("0x1F", 31), ("010", 8), ("0_10", 8), ("0o17", 15), ("0b11", 3), ("1_000", 1000),
     ("-010", -8), ("0", 0), ("00", 0), ("-9223372036854775808", -(2**63)), ("9223372036854775807", 2**63 - 1)],
)  # fmt: skip
def test_whole_numbers_are_gos(text, number):
    assert read(f"--count={text}") == {"count": number}


@pytest.mark.parametrize("text", ["", " 5", "5 ", "1__0", "_1", "1_", "08", "0x", "1e3", "1.0", "٣", "--5"])
def test_other_texts_are_no_numbers(text):
    assert f"{text!r} is not a whole number" in refusal(f"--count={text}")


@pytest.mark.parametrize("text", ["9223372036854775808", "-9223372036854775809", "9" * 5000, "0x" + "f" * 90])
def test_numbers_have_64_bits(text):
    assert "does not fit in 64 bits" in refusal(f"--count={text}")


def test_numbers_may_be_of_other_bits_and_without_a_sign():
    assert pflag.Integer(32, signed=False).convert("4294967295", None, None) == 2**32 - 1
    for text in ("4294967296", "-1", "+1"):
        with pytest.raises(click.BadParameter):
            pflag.Integer(32, signed=False).convert(text, None, None)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("", ()),
        ("a", ("a",)),
        ("a, b", ("a", " b")),
        ("a,", ("a", "")),
        (",", ("", "")),
        ('"a,b",c', ("a,b", "c")),
        ('"a ""b"""', ('a "b"',)),
        ('""', ("",)),
        ("\r\n\na\r\nb", ("a",)),
        ('"a\r\nb",c', ("a\nb", "c")),
        ("a\r", ("a",)),
        ("a\rb", ("a\rb",)),
    ],
)
def test_lists_are_records_of_comma_separated_values(text, items):
    assert pflag.Items().convert(text, None, None) == items


@pytest.mark.parametrize("text", ['a"b', '"a', '"a"b', 'a,"b" ', "\n", "\r", 'a"'])
def test_what_is_no_record(text):
    with pytest.raises(click.BadParameter):
        pflag.Items().convert(text, None, None)


def test_lists_add_up():
    assert read("--keys=a,b", "--keys=c", "--keys=") == {"keys": (("a", "b"), ("c",), ())}


def test_the_first_fault_counts_and_help_is_no_way_around_it():
    assert "is not a whole number" in refusal("--count=x", "--help")
    assert "No such option" in refusal("--bogus")
    assert run("--name=x", "--help").stdout.startswith("Usage")


def test_what_follows_two_dashes_is_no_option():
    assert "unexpected extra argument (--name)" in refusal("--", "--name")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (pflag.Integer(64, signed=True), 7),
        (pflag.Switch(), True),
        (pflag.Switch(), False),
        (pflag.Items(), ("a", "b")),
    ],
)
def test_a_value_that_was_read_is_not_read_again(option, value):
    assert option.convert(value, None, None) is value


def test_types_have_names():
    assert [kind.name for kind in (pflag.Integer, pflag.Switch, pflag.Items)] == ["integer", "switch", "list"]


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        (pflag.Integer(64, signed=True), "x", "'x' is not a whole number"),
        (pflag.Integer(8, signed=False), "-1", "'-1' is not a whole number without a sign"),
        (pflag.Integer(8, signed=False), "256", "256 does not fit in 8 bits"),
        (pflag.Integer(8, signed=True), "128", "128 does not fit in 8 bits"),
        (pflag.Integer(8, signed=True), "-129", "-129 does not fit in 8 bits"),
        (pflag.Integer(8, signed=True), "9" * 41, f"{'9' * 40} does not fit in 8 bits"),
        (pflag.Switch(), "on", "'on' is neither true nor false"),
        (pflag.Items(), "\n", "there is nothing but ends of lines"),
        (
            pflag.Items(),
            'a"b',
            "a double quote in 'a\"b' neither begins nor ends an item; write it twice, in quotes",
        ),
    ],
)
def test_what_is_wrong_with_a_value(option, text, message):
    with pytest.raises(click.BadParameter) as caught:
        option.convert(text, None, None)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("option", "text", "number"),
    [
        (pflag.Integer(8, signed=True), "-128", -128),
        (pflag.Integer(8, signed=True), "127", 127),
        (pflag.Integer(8, signed=False), "0", 0),
        (pflag.Integer(8, signed=False), "255", 255),
        (pflag.Integer(512, signed=False), "0x" + "f" * 97, 16**97 - 1),
    ],
)
def test_the_least_and_the_most_of_some_bits(option, text, number):
    assert option.convert(text, None, None) == number


@pytest.mark.parametrize(
    ("texts", "pairs"),
    [
        ([], {}),
        (["A=1", "B="], {"A": "1", "B": ""}),
        (["A=1", "A=2"], {"A": "2"}),
        (["A=1,B=2", '"C=x,y",D=4'], {"A": "1", "B": "2", "C": "x,y", "D": "4"}),
        (['"A=1"', "B=1,2"], {"A": "1", "B": "1,2"}),
        (["=1"], {"": "1"}),
    ],
)
def test_pairs(texts, pairs):
    assert pflag.pairs(None, None, texts) == pairs


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A", "'A' is not written KEY=VALUE"),
        ("A=1,B=2,C", "'C' is not written KEY=VALUE"),
        ('A=1"=', "a double quote in 'A=1\"=' neither begins nor ends an item; write it twice, in quotes"),
    ],
)
def test_what_is_no_pair(text, message):
    with pytest.raises(click.BadParameter) as caught:
        pflag.pairs(None, None, [text])
    assert caught.value.message == message


@click.command(cls=pflag.Command)
@click.option("--some-name", default="x")
@click.option("--other-name")
@click.option("--third")
@click.option("--fourth")
def exclusive(**_given):
    pflag.exclude(("some_name", "other_name"), ("third", "fourth"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], ""),
        (["--some-name=", "--third=a"], ""),
        (["--other-name=a"], ""),
        (["--some-name=", "--other-name="], "--some-name and --other-name exclude each other: give one"),
        (["--third=a", "--fourth=b"], "--third and --fourth exclude each other: give one"),
    ],
)
def test_options_that_exclude_each_other(arguments, message):
    result = CliRunner().invoke(exclusive, arguments)
    assert result.stderr.partition("Error: ")[2] == (f"{message}\n" if message else "")
    assert result.exit_code == (2 if message else 0)


def test_what_is_completed_may_lack_its_value():
    context = click.Context(command, resilient_parsing=True)
    assert list(command._canonical(context, ["--on", "--count=x", "--name"])) == [
        "--on=true",
        "--count=x",
        "--name",
    ]


@pytest.mark.parametrize(
    ("arguments", "canonical"),
    [
        (["a", "-n", "x", "--", "--name", "b"], ["a", "--namespace=x", "--", "--name", "b"]),
        (["-", "--name=", "-nx"], ["-", "--name=", "--namespace=x"]),
        (["--loud", "--loud=1", "--loud=0", "--bogus=1"], ["--loud", "--loud", "--bogus=1"]),
    ],
)
def test_arguments_are_put_as_click_reads_them(arguments, canonical):
    assert list(command._canonical(click.Context(command), arguments)) == canonical


def test_arguments_are_text():
    assert "is not UTF-8" in refusal("--name=\udce9")
