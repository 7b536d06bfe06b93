import { flushSync } from 'react-dom'
import { fold, fuzzyMatch, queryWords } from '../search/fuzzy-match.ts'
import { MarkedText } from '../search/marked-text.tsx'
import { Picker } from '../search/picker.tsx'
import type { Command } from './palette-commands.ts'
import { Keys } from '../app/keys.tsx'

type Props = { commands: readonly Command[]; onClose: () => void }

/** Every command by name, with its keys beside it. */
export function CommandPalette({ commands, onClose }: Props) {
  const choices = (query: string) => {
    const words = queryWords(query)
    return commands
      .flatMap((command) => {
        const match = fuzzyMatch(words, fold(command.title))
        return match ? [{ command, match }] : []
      })
      .toSorted((one, other) => (words.length === 0 ? 0 : other.match.score - one.match.score))
      .map(({ command, match }) => ({
        id: command.id,
        pick: () => {
          // The focus returns before the command runs: an editor takes it from there, and from nowhere else.
          flushSync(onClose)
          command.run()
        },
        content: (
          <>
            <span className="option-name">
              <MarkedText text={command.title} ranges={match.ranges} />
            </span>
            {command.keys && <Keys keys={command.keys} />}
          </>
        ),
      }))
  }
  return (
    <Picker
      label="Run a command"
      placeholder="What to do…"
      choices={choices}
      empty="No such command."
      onClose={onClose}
    />
  )
}
