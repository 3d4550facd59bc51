"""`gammacp cite`: what to cite, for gammacp and for the measures used."""

from __future__ import annotations

from gammacp import __version__
from gammacp.cli.output import AsJson, print_json

_SOFTWARE = (
    f"The gammacp developers (2026). gammacp {__version__}: exact, certified inter-annotator "
    "agreement [software]."
)
_PAPERS = {
    "γ": "Mathet, Y., Widlöcher, A. & Métivier, J.-P. (2015). The unified and holistic method "
    "gamma (γ) for inter-annotator agreement measure and alignment. Computational Linguistics "
    "41(3), 437–479.",
    "greedy alignment, entropy": "Mathet, Y. & Widlöcher, A. (2011). Une approche holiste et "
    "unifiée de l'alignement et de la mesure d'accord inter-annotateurs. TALN 2011, 247–258.",
    "γ_cat, γ_k": "Mathet, Y. (2017). The agreement measure γ_cat, a complement to γ focused on "
    "categorization of a continuum. Computational Linguistics 43(3), 661–681.",
    "Corpus Shuffling Tool": "Mathet, Y., Widlöcher, A., Fort, K., François, C., Galibert, O., "
    "Grouin, C., Kahn, J., Rosset, S. & Zweigenbaum, P. (2012). Manual corpus annotation: giving "
    "meaning to the evaluation metrics. COLING 2012: Posters, 809–818.",
    "uα, |uα, cuα, (k)uα": "Krippendorff, K., Mathet, Y., Bouvry, S. & Widlöcher, A. (2016). On "
    "the reliability of unitizing textual continua: further developments. Quality & Quantity "
    "50(6), 2347–2364.",
    "S, π, κ on segmentations": "Fournier, C. & Inkpen, D. (2012). Segmentation similarity and "
    "agreement. NAACL-HLT 2012, 152–161.",
    "α on syntax": "Skjærholt, A. (2014). A chance-corrected measure of inter-annotator agreement "
    "for syntax. ACL 2014, 934–944.",
}


def cite(json: AsJson = False) -> None:
    """What to cite: the software and the papers it implements."""
    if json:
        print_json({"software": _SOFTWARE, "papers": _PAPERS})
        return
    print(_SOFTWARE)
    for what, reference in _PAPERS.items():
        print(f"\n{what}\n  {reference}")
