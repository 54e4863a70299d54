"""What a question asks for, by its question word: the shape that an answer to it has. One table a language."""

from __future__ import annotations

import re
from enum import StrEnum


class Shape(StrEnum):
    NUMBER = "number"
    DATE = "date"
    MONEY = "money"
    PERCENT = "percent"
    DURATION = "duration"
    PERSON = "person"
    PLACE = "place"
    REASON = "reason"


# The first that matches counts, so the narrower stand first.
ASKING: dict[Shape, str] = {
    Shape.MONEY: r"how much (?:does|do|is|did|was)|price|cost|fee|얼마(?!나)|가격|요금|비용|多少钱|价格|费用|いくら|価格|料金|費用"
    r"|wie viel kostet|preis|gebühr|cuánto cuesta|precio|tarifa|combien coûte|prix|tarif",
    Shape.PERCENT: r"what (?:percentage|percent|share)|몇 ?(?:퍼센트|%)|비율|百分之|比例|何(?:パーセント|％|%)|割合|wie viel prozent|qué porcentaje|quel pourcentage",
    Shape.DURATION: r"how long|얼마나 오래|기간|며칠|몇 ?(?:일|달|개월|주|시간|분)|多长时间|多久|几天|几年|どのくらいの期間|何(?:日間|か月|ヶ月|時間|分)|wie lange|cuánto tiempo|combien de temps",
    Shape.DATE: r"\bwhen\b|what (?:year|date|day|month)|which (?:year|day|month)|in what year|언제|몇 ?년|어느 ?해|날짜|몇 ?월|何(?:时|時|年|月)|哪(?:一)?年|什么时候|哪天|几月"
    r"|いつ|何日|\bwann\b|welche[sm] (?:jahr|datum)|cuándo|qué (?:año|fecha|día)|\bquand\b|quelle (?:année|date)|en quelle année",
    Shape.NUMBER: r"how (?:many|much|old|far|tall|large|big|fast|often|high|deep|wide)|what number|몇|개수|얼마나|수는|多少|几|幾|多大|多高|いくつ|何(?:人|個|回|本|枚|台|歳|番|つ|カ国|か国|点)"
    r"|wie ?viele?|wie (?:hoch|groß|weit|alt|oft|schnell)|cuánt[oa]s?|qué (?:número|cantidad)|combien|quel (?:nombre|âge)",
    Shape.PERSON: r"\bwho(?:m|se)?\b|누구|누가|谁|誰|だれ|\bwer\b|\bwen\b|\bwem\b|wessen|qui[eé]n(?:es)?|\bqui\b",
    Shape.PLACE: r"\bwhere\b|어디|哪里|哪儿|何地|どこ|\bwo(?:her|hin)?\b|dónde|\boù\b",
    Shape.REASON: r"\bwhy\b|왜|为什么|为何|なぜ|どうして|warum|wieso|por qué|pourquoi",
}
# What a text of the shape looks like.
_NUMBER = r"(?:[\d０-９]|[一二三四五六七八九十百千万億两]{1,}(?=[个個人年月日次种種倍名位歳])|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|hundred|thousand|million|billion|zwei|drei|vier|fünf|zehn|dos|tres|cuatro|cinco|diez|deux|trois|quatre|cinq|dix)\b|[하두세네]\s?[개명번])"
LOOKS: dict[Shape, re.Pattern[str]] = {
    Shape.NUMBER: re.compile(_NUMBER, re.I),
    Shape.DATE: re.compile(
        r"\b[12]\d{3}s?\b|[12]\d{3}\s?(?:年|년)|\d{1,2}\s?(?:月|월|日|일)|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|januar|februar|märz|mai|juni|juli|oktober|dezember"
        r"|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre)[a-z]*\b|century|世紀|世纪|세기|jahrhundert|siglo|siècle",
        re.I,
    ),
    Shape.MONEY: re.compile(
        r"[$€£¥₩]|\b(?:usd|eur|krw|jpy|cny|gbp|dollars?|euros?|pounds?|yen|won)\b|[\d万億만억천]\s?(?:원|元|円|달러|美元|欧元|유로|ドル|ユーロ|dólares)",
        re.I,
    ),
    Shape.PERCENT: re.compile(
        r"[%％]|percent|per cent|퍼센트|프로|百分之|パーセント|割|prozent|por ciento|pour cent", re.I
    ),
    Shape.DURATION: re.compile(
        r"[\d０-９一二三四五六七八九十]\s?(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|년|개월|달|주|일|시간|분|초|年|个月|月|周|天|小时|分钟|か月|ヶ月|週間|日間|時間|分|jahre?n?|monate?n?|wochen?|tage?n?|stunden?|minuten?|años?|mes(?:es)?|semanas?|días?|horas?|minutos?|ans?|mois|semaines?|jours?|heures?)"
        r"|\b(?:one|two|three|four|five|six|twelve|twenty)[- ](?:years?|months?|weeks?|days?|hours?)",
        re.I,
    ),
    Shape.PERSON: re.compile(
        r"\b[A-ZÀ-Þ][a-zà-ÿ'’.-]+(?:\s+(?:de|von|van|la|el|al|bin)?\s*[A-ZÀ-Þ][a-zà-ÿ'’.-]+)+|[가-힣]{2,4}(?:이|가|은|는|의|와|과|에게)?\s|[一-龥]{2,4}|[ァ-ヴー・]{3,}"
    ),
    Shape.PLACE: re.compile(
        r"\b(?:in|at|near|from|to|of|nach|aus|bei|en|de|à|dans|sur)\s+(?:the\s+|la\s+|el\s+|le\s+|der\s+|die\s+)?[A-ZÀ-Þ]|에서|에\s|으로|在|位于|にある|にて|[市県州省区国島城]|시|도|군|구"
    ),
    Shape.REASON: re.compile(
        r"because|since|due to|so that|in order|때문|위해|므로|아서|어서|因为|由于|为了|ため|ので|から|weil|da\s|wegen|damit|porque|debido|para que|parce que|car\s|afin|pour que|à cause",
        re.I,
    ),
}
_COMPILED = [(shape, re.compile(pattern, re.I)) for shape, pattern in ASKING.items()]


def asked_shape(question: str) -> Shape | None:
    """The shape that an answer has; None where the question word tells nothing."""
    for shape, pattern in _COMPILED:
        if pattern.search(question):
            return shape
    return None


def has_shape(text: str, shape: Shape) -> bool:
    return bool(LOOKS[shape].search(text))
