"""Words whose full stop ends no sentence, by language. Compared without case, written without the last stop."""

from __future__ import annotations

ABBREVIATIONS: dict[str, str] = {
    "en": "mr mrs ms dr prof st jr sr vs etc e.g i.e no nos fig figs sec art vol ch pp p approx dept est inc ltd co corp "
    "u.s u.k a.m p.m jan feb mar apr jun jul aug sep sept oct nov dec gen col lt sgt rev hon ave blvd",
    "de": "z.b d.h u.a u.ä o.ä usw bzw ca evtl ggf inkl exkl nr abs art str vgl s bd dr prof hr fr st jh mio mrd tel max min "
    "jan feb mär apr jun jul aug sep okt nov dez z.t i.d.r v.chr n.chr geb gest sog u.u",
    "es": "sr sra srta dr dra d dña ud uds p.ej ej etc núm art pág págs vol cap aprox av avda c tel ee.uu a.c d.c s.a fig",
    "fr": "m mm mme mlle dr prof p.ex etc n° no art p pp vol chap fig env av bd tél c.-à-d j.-c s.a cf ex st ste",
}
ALL = frozenset(word for words in ABBREVIATIONS.values() for word in words.split())

# German writes ordinals with a stop; these words follow one.
_COUNTED = (
    "januar februar märz april mai juni juli august september oktober november dezember jahrhundert jahrhunderts kapitel "
    "absatz auflage stock tag woche monat quartal mal klasse weltkrieg weltkriegs platz teil artikel abschnitt"
)
COUNTED = frozenset(_COUNTED.split())
