"""How questions ask for a kind of answer, and what such an answer looks like: one table a language, "any" for all.

Regular expressions, matched without regard to case; a shape's patterns of all languages are joined. Written for the
platform, not taken from data.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Shape(StrEnum):
    """In the order they are tried: the narrower first."""

    DURATION = "duration"
    MONEY = "money"
    PERCENT = "percent"
    DATE = "date"
    NUMBER = "number"
    PERSON = "person"
    PLACE = "place"
    REASON = "reason"


Table = Mapping[str, Mapping[Shape, str]]

ASKING: Table = {
    "en": {
        Shape.DURATION: r"\bhow long\b",
        Shape.MONEY: r"\bhow much (?:does|do|is|did|was)\b|\b(?:price|cost|fee)s?\b",
        Shape.PERCENT: r"\bwhat (?:percentage|percent|share)\b",
        Shape.DATE: r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|century)\b",
        Shape.NUMBER: r"\bhow (?:many|much|old|far|tall|large|big|fast|often|high|deep|wide)\b|\bwhat number\b",
        Shape.PERSON: r"\bwho(?:m|se)?\b",
        Shape.PLACE: r"\bwhere\b",
        Shape.REASON: r"\bwhy\b",
    },
    "ko": {
        Shape.DURATION: r"얼마나 (?:오래|걸)|기간|며칠 ?(?:동안|간)|몇 ?(?:달|개월|주|시간|분) ?(?:동안|간|이?나)?",
        Shape.MONEY: r"얼마(?!나)|가격|요금|비용",
        Shape.PERCENT: r"몇 ?(?:퍼센트|프로|%)|비율",
        Shape.DATE: r"언제|몇 ?(?:년|월|일)|어느 ?(?:해|날|세기)|날짜|연도",
        Shape.NUMBER: r"몇|개수|얼마나|(?:인원|횟)?수는",
        Shape.PERSON: r"누구|누가",
        Shape.PLACE: r"어디",
        Shape.REASON: r"왜|이유",
    },
    "zh": {
        Shape.DURATION: r"多长时间|多久|几(?:天|个月|小时|分钟)",
        Shape.MONEY: r"多少钱|价格|费用|价钱",
        Shape.PERCENT: r"百分之(?:几|多少)|比例",
        Shape.DATE: r"什么时候|何时|哪(?:一)?(?:年|天|月|个世纪)|几(?:年|月|号)|日期",
        Shape.NUMBER: r"多少|几|多(?:大|高|远|重|深|快)",
        Shape.PERSON: r"谁|哪位",
        Shape.PLACE: r"哪里|哪儿|何地|在哪",
        Shape.REASON: r"为什么|为何|原因",
    },
    "ja": {
        Shape.DURATION: r"どのくらいの期間|何(?:日間|か月|ヶ月|カ月|週間|年間|時間|分)|期間",
        Shape.MONEY: r"いくら|価格|料金|費用",
        Shape.PERCENT: r"何(?:パーセント|％|%|割)|割合",
        Shape.DATE: r"いつ|何(?:時|年|月|日|世紀)",
        Shape.NUMBER: r"いくつ|何(?:人|個|回|本|枚|台|歳|番|つ|カ国|か国|点|冊|メートル|キロ)|どのくらい",
        Shape.PERSON: r"誰|だれ|何者",
        Shape.PLACE: r"どこ|何処",
        Shape.REASON: r"なぜ|どうして|理由",
    },
    "de": {
        Shape.DURATION: r"\bwie lange\b",
        Shape.MONEY: r"\bwie ?viel kostet\b|\bpreis\b|\bgebühr|\bkosten\b",
        Shape.PERCENT: r"\bwie ?viel prozent\b|\bprozentsatz\b",
        Shape.DATE: r"\bwann\b|\bwelche[snmr]? (?:jahr|datum|tag|monat|jahrhundert)",
        Shape.NUMBER: r"\bwie ?viele?n?\b|\bwie (?:hoch|groß|weit|alt|oft|schnell|tief|schwer)\b",
        Shape.PERSON: r"\bwe(?:r|n|m|ssen)\b",
        Shape.PLACE: r"\bwo(?:her|hin)?\b",
        Shape.REASON: r"\bwarum\b|\bwieso\b|\bweshalb\b",
    },
    "es": {
        Shape.DURATION: r"cuánto (?:tiempo|dura|tarda)",
        Shape.MONEY: r"cuánto cuesta|\bprecio\b|\btarifa\b|\bcoste\b",
        Shape.PERCENT: r"qué porcentaje",
        Shape.DATE: r"cuándo|qué (?:año|fecha|día|mes|siglo)",
        Shape.NUMBER: r"cuánt[oa]s?|qué (?:número|cantidad)",
        Shape.PERSON: r"qui[eé]n(?:es)?\b",
        Shape.PLACE: r"(?:a|de)?dónde",
        Shape.REASON: r"por qué",
    },
    "fr": {
        Shape.DURATION: r"combien de temps|\bdurée\b",
        Shape.MONEY: r"combien coûte|\bprix\b|\btarif\b|\bcoût\b",
        Shape.PERCENT: r"quel pourcentage",
        Shape.DATE: r"\bquand\b|quel(?:le)? (?:année|date|jour|mois|siècle)",
        Shape.NUMBER: r"\bcombien\b|quel (?:nombre|âge)",
        Shape.PERSON: r"\bqui\b",
        Shape.PLACE: r"\boù\b",
        Shape.REASON: r"\bpourquoi\b",
    },
}

LOOKS: Table = {
    "any": {
        Shape.NUMBER: r"[\d０-９]",
        Shape.DATE: r"\b[12]\d{3}s?\b|\b\d{1,2}:\d{2}\b",
        Shape.MONEY: r"[$€£¥₩]|\b(?:usd|eur|krw|jpy|cny|gbp)\b",
        Shape.PERCENT: r"[%％]",
        Shape.PERSON: r"\b(?-i:[A-ZÀ-Þ])[\w'’.-]+(?:\s+(?:de|von|van|la|el|al|bin))?\s+(?-i:[A-ZÀ-Þ])[\w'’-]+",
    },
    "en": {
        Shape.NUMBER: r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|hundred|thousand|million|billion)\b",
        Shape.DATE: r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december"
        r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|\bcentur(?:y|ies)\b",
        Shape.MONEY: r"\b(?:dollars?|euros?|pounds?|yen|won)\b",
        Shape.PERCENT: r"\bper ?cent\b",
        Shape.DURATION: r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty))[- ]?"
        r"(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?)\b",
        Shape.PLACE: r"\b(?:in|at|near|from|to|of|outside) (?:the )?(?-i:[A-Z])",
        Shape.REASON: r"\b(?:because|since|due to|so that|in order|owing to)\b",
    },
    "ko": {
        Shape.NUMBER: r"(?:한|두|세|네|다섯|여섯|열)\s?(?:개|명|번|가지|곳)",
        Shape.DATE: r"\d\s?(?:년|월|일)|세기",
        Shape.MONEY: r"[\d만억천]\s?(?:원|달러|유로|엔)",
        Shape.PERCENT: r"퍼센트|프로(?!그|젝|필|세)",
        Shape.DURATION: r"\d\s?(?:년|개월|달|주|일|시간|분|초)\s?(?:간|동안)?",
        Shape.PERSON: r"[가-힣]{2,4} ?(?:씨|대통령|감독|박사|교수|장군|왕|의원|사장|목사)",
        Shape.PLACE: r"[가-힣]+(?:시|군|구|읍|역|공항|대학교|섬|산|강|관|궁|항)(?:에|의|을|를|이|은|로|와|,|\s|$)",
        Shape.REASON: r"때문|위해|위하여|므로|이유",
    },
    "zh": {
        Shape.NUMBER: r"[一二三四五六七八九十百千万億亿两]+(?:个|人|种|倍|名|位|岁|次|座|家|条)",
        Shape.DATE: r"\d\s?[年月日]|世纪",
        Shape.MONEY: r"[\d万亿]\s?(?:元|美元|欧元|日元)",
        Shape.PERCENT: r"百分之",
        Shape.DURATION: r"[\d一二三四五六七八九十]\s?(?:年|个月|周|天|小时|分钟|秒)",
        Shape.PERSON: r"·|(?:先生|女士|教授|博士|总统|将军|主席)",
        Shape.PLACE: r"位于|[一-龥]{1,6}(?:市|州|省|区|国|岛|城|县|镇|大学)",
        Shape.REASON: r"因为|由于|为了|因此|以便",
    },
    "ja": {
        Shape.NUMBER: r"[一二三四五六七八九十百千万億]+(?:人|個|回|本|枚|台|歳|番|つ|名|種|倍)",
        Shape.DATE: r"\d\s?[年月日]|世紀",
        Shape.MONEY: r"[\d万億]\s?(?:円|ドル|ユーロ)",
        Shape.PERCENT: r"パーセント|\d割",
        Shape.DURATION: r"[\d一二三四五六七八九十]\s?(?:年間?|か月|ヶ月|カ月|週間|日間?|時間|分|秒)",
        Shape.PERSON: r"[ァ-ヴー]{2,}[・＝][ァ-ヴー]{2,}|(?:氏|さん|教授|博士|監督|大統領|将軍|天皇)",
        Shape.PLACE: r"にある|に位置|[一-龥ァ-ヴー]{1,8}(?:市|県|州|省|区|国|島|城|町|村|駅|大学)",
        Shape.REASON: r"ため|ので|によって|から(?=[、。])",
    },
    "de": {
        Shape.NUMBER: r"\b(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|hundert|tausend|millionen?)\b",
        Shape.DATE: r"\b(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)\b|jahrhundert",
        Shape.PERCENT: r"\bprozent\b",
        Shape.DURATION: r"(?:\d|\b(?:ein|zwei|drei|vier|fünf|sechs|zehn|zwölf)\w*) ?"
        r"(?:jahre?n?|monate?n?|wochen?|tage?n?|stunden?|minuten?|sekunden?)\b",
        Shape.PLACE: r"\b(?:in|im|bei|nach|aus|von|nahe) (?:der |dem |den )?(?-i:[A-ZÄÖÜ])",
        Shape.REASON: r"\b(?:weil|da|wegen|damit|aufgrund|um zu)\b",
    },
    "es": {
        Shape.NUMBER: r"\b(?:dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|cien|mil|millones)\b",
        Shape.DATE: r"\b(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)\b|\bsiglo",
        Shape.MONEY: r"\b(?:dólares|euros|libras|pesos)\b",
        Shape.PERCENT: r"\bpor ciento\b",
        Shape.DURATION: r"(?:\d|\b(?:un|una|dos|tres|cuatro|cinco|seis|diez|doce)) ?"
        r"(?:años?|mes(?:es)?|semanas?|días?|horas?|minutos?|segundos?)\b",
        Shape.PLACE: r"\b(?:en|de|desde|cerca de|a) (?:la |el |los |las )?(?-i:[A-ZÁÉÍÓÚ])",
        Shape.REASON: r"\b(?:porque|debido|para que|ya que|a causa)\b",
    },
    "fr": {
        Shape.NUMBER: r"\b(?:deux|trois|quatre|cinq|six|sept|huit|neuf|dix|douze|cent|mille|millions?)\b",
        Shape.DATE: r"\b(?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)\b|\bsiècle",
        Shape.MONEY: r"\b(?:euros?|dollars?|francs?|livres)\b",
        Shape.PERCENT: r"\bpour ?cent\b",
        Shape.DURATION: r"(?:\d|\b(?:un|une|deux|trois|quatre|cinq|six|dix|douze)) ?"
        r"(?:ans?|années?|mois|semaines?|jours?|heures?|minutes?|secondes?)\b",
        Shape.PLACE: r"\b(?:à|en|au|aux|dans|près de|de) (?:la |le |les |l')?(?-i:[A-ZÀ-Þ])",
        Shape.REASON: r"\b(?:parce que|car|afin|pour que|à cause|en raison|grâce)\b",
    },
}
