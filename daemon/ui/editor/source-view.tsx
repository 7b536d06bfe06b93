import { useEffect, useRef } from 'react'
import type { LinkIndex } from '../links/link-index.ts'
import { useLatest } from '../app/use-latest.ts'
import type { NotePlace } from '../note/find-place.ts'
import { useStoreFile } from './use-store-file.ts'
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
  onArrive: (place: NotePlace) => boolean
  onChange: (text: string) => void
  onTopLine: (line: number) => void
}

/** The source of one note in the editor; another note is another editor, with its own history. Loaded apart from the page, since reading needs none of it. */
export default function SourceView({ path, text, index, editing, place, placeLine, startLine, ...on }: Props) {
  const { onArrive, onChange, onTopLine } = on
  const frame = useRef<HTMLDivElement>(null)
  const editor = useRef<SourceEditor>(undefined)
  const storeFile = useStoreFile(path)
  const latest = useLatest({ storeFile, path, text, index, onChange, onTopLine, startLine })

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
      storeFile: (file) => latest.current.storeFile(file),
    })
    editor.current = created
    created.goToLine(latest.current.startLine, 'start')
    created.focus()
    return () => {
      created.destroy()
      host.remove()
    }
  }, [latest])

  useEffect(() => editor.current?.setText(text), [text])
  useEffect(() => editor.current?.setReadOnly(editing), [editing])
  useEffect(() => {
    if (placeLine === undefined || !onArrive(place)) return
    editor.current?.goToLine(placeLine, 'center')
    editor.current?.focus()
  }, [place, placeLine, onArrive])

  return <div ref={frame} className="source" />
}
