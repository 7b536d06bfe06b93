import { useServices } from '../app/services.ts'
import { fold, fuzzyMatch, queryWords } from '../search/fuzzy-match.ts'
import { MarkedText } from '../search/marked-text.tsx'
import { Picker } from '../search/picker.tsx'
import { useVault } from '../vaults/vault-context.ts'
import { titleOf } from './daily-note.ts'
import { insertTemplate } from './insert-template.ts'
import { templatesOf } from './templates.ts'

type Props = {
  /** The note to insert the template into. Without it, a new note is created. */
  into?: string
  onClose: () => void
}

/** Asks from which template to create the new note, or which to put into the open one. */
export default function TemplatePicker({ into, onClose }: Props) {
  const { client } = useServices()
  const openVault = useVault()
  const { index, treeRefusal, show } = openVault
  const pick = (template: string) => {
    if (into === undefined) return show({ newNoteFrom: template })
    onClose()
    void insertTemplate({ client, ...openVault }, { template, note: into })
  }
  const templates = templatesOf(index)
  const choices = (query: string) =>
    templates.flatMap(({ path }) => {
      const name = titleOf(path)
      const match = fuzzyMatch(queryWords(query), fold(name))
      if (!match) return []
      return {
        id: path,
        pick: () => pick(path),
        content: (
          <span className="option-name">
            <MarkedText text={name} ranges={match.ranges} />
          </span>
        ),
      }
    })
  return (
    <Picker
      label={into === undefined ? 'Template of the new note' : 'Template to insert'}
      placeholder="Name of a template…"
      choices={choices}
      empty={
        templates.length === 0 ? 'No templates yet: put notes into a folder named Templates.' : 'No such template.'
      }
      wait={index.isKnown ? undefined : treeRefusal ? 'The vault could not be read.' : 'The vault is being read…'}
      onClose={onClose}
    />
  )
}
