"""The language tags (BCP 47) that Android accepts as languages."""

import re

_TAG = re.compile(
    r"(?P<language>[A-Za-z]{2,3})(-(?P<script>[A-Za-z]{4}))?"
    r"(-(?P<region>[A-Za-z]{2}|[0-9]{3}))?(-[A-Za-z0-9]{5,8}|-[0-9][A-Za-z0-9]{3})*"
    r"(-u(-[A-Za-z0-9]{2,8})+)?"
)
_LANGUAGES = (
    " aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu"
    " cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi"
    " ho hr ht hu hy hz ia id ie ig ii ik in io is it iu iw ja ji jv ka kg ki kj kk kl km kn"
    " ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb"
    " nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se"
    " sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug"
    " uk ur uz ve vi vo wa wo xh yi yo za zh zu "
)
"""Two-letter codes: ISO 639-1, and the old codes that Android still accepts."""
_REGIONS = (
    " AC AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN"
    " BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE"
    " DG DJ DK DM DO DZ EA EC EE EG EH ER ES ET EU FI FJ FK FM FO FR GA GB GD GE GF GG GH GI"
    " GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU IC ID IE IL IM IN IO IQ IR IS IT JE"
    " JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME"
    " MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR"
    " NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG"
    " SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TA TC TD TF TG TH TJ TK TL TM TN TO TR TT"
    " TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XA XB XK YE YT ZA ZM ZW "
)
"""ISO 3166, Unicode's additions, and Android's two pseudolocale regions."""
_SAME = {"iw": "he", "in": "id", "ji": "yi", "tl": "fil", "mo": "ro"}
LONGEST = 60


def normalise_tag(text: str) -> str:
    """Return the tag in canonical case, `de-DE`; "" if it is invalid."""
    tag = text.strip().replace("_", "-")
    found = _TAG.fullmatch(tag) if len(tag) <= LONGEST else None
    if found is None:
        return ""
    language = found["language"].lower()
    if len(language) == 2 and f" {language} " not in _LANGUAGES:
        return ""
    region = (found["region"] or "").upper()
    if len(region) == 2 and f" {region} " not in _REGIONS:
        return ""
    rest = tag[found.end("region") if region else found.end("script" if found["script"] else 1) :]
    script = (found["script"] or "").capitalize()
    return "-".join(filter(None, (language, script, region))) + rest


def is_same_language(wanted: str, has: str) -> bool:
    """Whether the phone has the wanted language, perhaps under another code."""
    if wanted.lower() == has.lower():
        return True
    one, other = (tag.lower().split("-") for tag in (wanted, has))
    return _SAME.get(one[0], one[0]) == _SAME.get(other[0], other[0]) and one[1:] == other[1:]
