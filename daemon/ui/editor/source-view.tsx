import { useEffect, useRef } from 'react'
import type { LinkIndex } from '../links/link-index.ts'
import type { NotePlace } from '../note/find-place.ts'
import { createEditor, type EditorMode, type SourceEditor } from './create-editor.ts'

type Props = {
  path: string
  text: string
  index: LinkIndex
  editing: EditorMode
  /** Where to begin; a new object is a new wish to go there. */
  place: NotePlace
  /** The place as a line of the source. */
  placeLine: number | undefined
  startLine: number
  onChange: (text: string) => void
  onTopLine: (line: number) => void
}

/** The source of a note in the editor. Loaded apart from the page, since reading needs none of it. */
export default function SourceView({
  path,
  text,
  index,
  editing,
  place,
  placeLine,
  startLine,
  onChange,
  onTopLine,
}: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const editor = useRef<SourceEditor>(undefined)
  const latest = useRef({ path, text, index, onChange, onTopLine, startLine })
  latest.current = { path, text, index, onChange, onTopLine, startLine }

  useEffect(() => {
    const host = document.createElement('div')
    host.className = 'editor-host'
    frame.current?.append(host)
    const created = createEditor({
      host,
      text: latest.current.text,
      surroundings: () => latest.current,
      onChange: (changed) => latest.current.onChange(changed),
      onTopLine: (line) => latest.current.onTopLine(line),
    })
    editor.current = created
    created.goToLine(latest.current.startLine, 'start')
    created.focus()
    return () => {
      created.destroy()
      host.remove()
    }
  }, [path])

  useEffect(() => editor.current?.setText(text), [text])
  useEffect(() => editor.current?.setReadOnly(editing), [editing])
  useEffect(() => {
    if (placeLine === undefined || place.arrived?.current) return
    if (place.arrived) place.arrived.current = true
    editor.current?.goToLine(placeLine, 'center')
    editor.current?.focus()
  }, [place, placeLine])

  return <div ref={frame} className="source" />
}
