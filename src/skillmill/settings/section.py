"""What all sections share."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

STUDY = r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$"
Count = Annotated[int, Field(ge=0)] | Literal["all"]
Share = Annotated[float, Field(ge=0, le=1)]
Cutoffs = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]
#: YAML reads an unquoted `off` as false.
Mode = Annotated[
    Literal["off", "live", "replay"],
    BeforeValidator(lambda value: "off" if value is False else value),
    WithJsonSchema({"enum": ["off", "live", "replay", False], "default": "off"}),
]


class Section(BaseModel):
    """A block of keys; an unknown key is an error, not a surprise."""

    # What is written below a key is only read for the schema (`settings.described`):
    # pydantic would read the source of every section at each start, for 0.2 seconds.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
