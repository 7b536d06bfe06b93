import { useMemo } from 'react'
import { folderOf } from '../links/resolve-link.ts'
import { withoutExtension, type Entry } from '../links/link-index.ts'
import { plainTitle } from '../plain-line/plain-line.ts'
import { useVault } from '../vaults/vault-context.ts'
import { fold, fuzzyMatch, queryWords, type FuzzyMatch } from './fuzzy-match.ts'
import { MarkedText } from './marked-text.tsx'
import { Picker, type Choice } from './picker.tsx'

type Props = { recents: readonly string[]; onCreate: (name: string) => void; onClose: () => void }

const SHOWN = 50

/** Opens a note by a few letters of its name; without any, it offers the notes opened last. */
export function QuickSwitcher({ recents, onCreate, onClose }: Props) {
  const { index, treeRefusal, open, openTab } = useVault()
  const candidates = useMemo(
    () =>
      index.entries.map((entry) => {
        const name = entry.kind === 'note' ? withoutExtension(entry.name) : entry.name
        const words = entry.kind === 'note' ? plainTitle(entry.title) : name
        const title = words === name ? '' : words
        return { entry, name, title, names: fold(`${name} ${title}`), path: fold(withoutExtension(entry.path)) }
      }),
    [index],
  )
  const byPath = useMemo(() => new Map(candidates.map((candidate) => [candidate.entry.path, candidate])), [candidates])

  const choice = (candidate: (typeof candidates)[number], match?: FuzzyMatch): Choice => ({
    id: candidate.entry.path,
    pick: (how) => {
      onClose()
      if (how === 'tab') openTab({ path: candidate.entry.path }, 'shown')
      else open(candidate.entry.path)
    },
    content: <Option entry={candidate.entry} name={candidate.name} match={match} />,
  })

  const choices = (query: string): Choice[] => {
    const words = queryWords(query)
    if (words.length === 0)
      return [
        ...recents.flatMap((path) => byPath.get(path) ?? []).map((candidate) => choice(candidate)),
        ...(recents.length === 0 ? candidates.slice(0, SHOWN).map((candidate) => choice(candidate)) : []),
      ]
    return candidates
      .flatMap((candidate) => {
        const named = fuzzyMatch(words, candidate.names)
        const placed = named ? undefined : fuzzyMatch(words, candidate.path)
        const score = (named?.score ?? (placed ? placed.score - 20 : 0)) - (candidate.entry.kind === 'note' ? 0 : 8)
        return named || placed ? [{ candidate, named, score }] : []
      })
      .toSorted((one, other) => other.score - one.score)
      .slice(0, SHOWN)
      .map(({ candidate, named }) => choice(candidate, named))
  }

  return (
    <Picker
      label="Open a note"
      placeholder="Name of a note…"
      choices={choices}
      empty="No note has such a name."
      wait={index.isKnown ? undefined : treeRefusal ? 'The vault could not be read.' : 'The vault is being read…'}
      other={{ label: 'New note', run: onCreate }}
      onClose={onClose}
    />
  )
}

function Option({ entry, name, match }: { entry: Entry; name: string; match: FuzzyMatch | undefined }) {
  return (
    <>
      <span className="option-name">
        <MarkedText text={name} ranges={(match?.ranges ?? []).filter(([, end]) => end <= name.length)} />
      </span>
      <span className="option-place">{folderOf(entry.path)}</span>
    </>
  )
}
