import { fold, fuzzyMatch, queryWords } from '../search/fuzzy-match.ts'
import { MarkedText } from '../search/marked-text.tsx'
import { Picker } from '../search/picker.tsx'
import { useVault } from '../vaults/vault-context.ts'
import { titleOf } from './daily-note.ts'
import { templatesOf } from './templates.ts'

/** Asks from which template to create the new note. */
export default function TemplatePicker({ onClose }: { onClose: () => void }) {
  const { index, show } = useVault()
  const templates = templatesOf(index)
  const choices = (query: string) =>
    templates.flatMap(({ path }) => {
      const name = titleOf(path)
      const match = fuzzyMatch(queryWords(query), fold(name))
      if (!match) return []
      return {
        id: path,
        pick: () => show({ newNoteFrom: path }),
        content: (
          <span className="option-name">
            <MarkedText text={name} ranges={match.ranges} />
          </span>
        ),
      }
    })
  return (
    <Picker
      label="Template of the new note"
      placeholder="Name of a template…"
      choices={choices}
      empty={
        templates.length === 0 ? 'No templates yet: put notes into a folder named Templates.' : 'No such template.'
      }
      onClose={onClose}
    />
  )
}
