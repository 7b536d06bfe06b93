import { useEffect, useRef, useState, type RefObject } from 'react'
import type { LinkIndex } from '../links/link-index.ts'
import { useLatest } from '../app/use-latest.ts'
import type { Surroundings } from '../live-preview/surroundings.ts'
import type { LiveLink } from '../live/live-link.ts'
import type { NotePlace } from '../note/find-place.ts'
import type { EditorMemory } from '../saving/note-session.ts'
import { usePane } from '../tabs/pane-context.ts'
import { useStoreFile } from './use-store-file.ts'
import type { EditingLook } from './editing-look.ts'
import type { RequestedIn } from './use-requested-in.ts'
import { createEditor, type SourceEditor } from './create-editor.ts'

type Props = {
  path: string
  requestedIn: RefObject<RequestedIn>
  link: LiveLink
  memory: EditorMemory
  index: LinkIndex
  look: EditingLook
  /** The start position; a new object means a new jump to it. */
  place: NotePlace
  /** The line of `place` in the source. */
  placeLine: number | undefined
  startLine: number
  /** What embeds and links in the text need. */
  around: Omit<Surroundings, 'path' | 'index'>
  onArrive: (place: NotePlace) => boolean
  onTopLine: (line: number) => void
}

/**
 * The source of one note in the editor. A different live text gets a new editor. Loaded apart from the page, because
 * reading does not need it.
 */
export default function SourceView({
  path,
  requestedIn,
  link,
  memory,
  index,
  look,
  around,
  place,
  placeLine,
  startLine,
  ...on
}: Props) {
  const { onArrive, onTopLine } = on
  const frame = useRef<HTMLDivElement>(null)
  const editor = useRef<SourceEditor>(undefined)
  const storeFile = useStoreFile(path)
  const [made, setMade] = useState(0)
  const takesFocus = useRef(true)
  const { isFocused } = usePane()
  const surroundings = { ...around, path, index }
  const isElsewhere = () => isInField(requestedIn.current) || isKeptByTree(path)
  const latest = useLatest({ storeFile, surroundings, look, onTopLine, startLine, isFocused, isElsewhere })

  useEffect(() => {
    const host = document.createElement('div')
    host.className = 'editor-host'
    frame.current?.append(host)
    const created = createEditor({
      host,
      link,
      memory,
      surroundings: () => latest.current.surroundings,
      look: latest.current.look,
      onTopLine: (line) => latest.current.onTopLine(line),
      storeFile: (file, put) => latest.current.storeFile(file, put),
      onTornApart: () => setMade((times) => times + 1),
    })
    editor.current = created
    if (created.isContinued) created.showLine(latest.current.startLine)
    else created.startAt(latest.current.startLine)
    if (takesFocus.current && latest.current.isFocused && !latest.current.isElsewhere()) created.focus()
    return () => {
      takesFocus.current = host.contains(document.activeElement)
      created.destroy()
      host.remove()
    }
    // eslint-disable-next-line react/exhaustive-effect-dependencies -- an editor that failed is made anew
  }, [latest, link, memory, made])

  useEffect(() => editor.current?.setLook(look), [look])
  useEffect(() => editor.current?.refresh({ path, index }), [path, index])

  useEffect(() => {
    if (placeLine === undefined || !onArrive(place)) return
    editor.current?.goToLine(placeLine, 'center')
    if (latest.current.isFocused && !latest.current.isElsewhere()) editor.current?.focus()
  }, [latest, place, placeLine, onArrive])

  return <div ref={frame} className="source" />
}

/**
 * Whether somebody has gone to a field since they requested the editor, or has typed on in the field that they were in.
 * The editor may have taken long to load.
 */
function isInField(requestedIn: RequestedIn): boolean {
  const field = document.activeElement as HTMLInputElement | null
  if (!requestedIn || !field?.matches('input, textarea, select')) return false
  return field !== requestedIn.field || field.value !== requestedIn.value
}

/** Whether the page came to this note by a deletion in the tree, which keeps the focus. */
function isKeptByTree(path: string): boolean {
  const kept = document.activeElement?.matches('[role=tree]')
    ? document.activeElement.getAttribute('data-keeps-focus')
    : null
  return kept === '' || kept === path
}
