"""State of annotators' work in INCEpTION and WebAnno projects.

A project that is exported as a whole has `exportedproject….json` beside the folder `annotation`;
its `annotation_documents` are a `name` of a document, a `user` and a `state`, after
ExportedAnnotationDocument and AnnotationDocumentState of INCEpTION (inception-project/inception).
`IN_PROGRESS` documents are open; the interface calls an ignored one locked.
"""

import fnmatch
from functools import lru_cache
from pathlib import Path, PurePosixPath

from gammacp.base.files import content_if_any
from gammacp.errors import DataError
from gammacp.formats.source import Record, Source
from gammacp.formats.states import Origin, State

_STATES = {
    "FINISHED": State.FINISHED,
    "COMPLETE": State.FINISHED,
    "NEW": State.UNFINISHED,
    "IN_PROGRESS": State.UNFINISHED,
    "INPROGRESS": State.UNFINISHED,
    "IGNORE": State.SKIPPED,
    "LOCKED": State.SKIPPED,
}
_PATTERN = "exportedproject*.json"
_FOLDERS = 3
"""Folders above a file in which its project may lie: of the document, of annotations, of it all."""


def origin(source: Source, place: Path) -> Origin | None:
    """Return the state of one annotator's work on a document, as recorded in its project.

    Parameters
    ----------
    source
        The file.
    place
        The path that names annotator and document.
    """
    content = _project_in_archive(source)
    if content is None:
        content = _project_around(place)
    if content is None:
        return None
    try:
        state = _states_of(content).get((place.parent.name, place.stem))
    except DataError as error:
        source.remark("states", f"the project's description is not read: {error}", told=True)
        return None
    if state is None:
        return None
    return Origin(_STATES.get(state.upper().replace("-", "_")), state)


def _project_in_archive(source: Source) -> bytes | None:
    """Return the description of the project that contains a member of an archive."""
    above = PurePosixPath(source.member).parents
    for name in fnmatch.filter(source.neighbours, f"*{_PATTERN}"):
        path = PurePosixPath(name)
        if fnmatch.fnmatchcase(path.name, _PATTERN) and path.parent in above:
            return source.neighbours[name]
    return None


def _project_around(place: Path) -> bytes | None:
    """Return the description of the project that contains a file on disk."""
    for folder in [*place.absolute().parents][1:_FOLDERS]:
        if folder.name in ("annotation", "curation"):
            for path in sorted(folder.parent.glob(_PATTERN)):
                try:
                    return content_if_any(path)
                except DataError:  # a campaign.toml does not look outside its folder
                    return None
    return None


@lru_cache(maxsize=4)
def _states_of(content: bytes) -> dict[tuple[str, str], str]:
    """Return the state of each (document, user); a DataError if the description is damaged."""
    project = Source(Path(_PATTERN), "", "", content)
    documents = Record.of(project.json(), project).objects("annotation_documents", missing_ok=True)
    return {
        (name, user): state
        for entry in documents
        if (name := entry.name("name")) and (user := entry.name("user"))
        if (state := entry.text("state"))
    }
