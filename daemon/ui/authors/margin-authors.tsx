import '../styles/authors.css'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { Suspense, useEffect, useMemo, useState, type RefObject } from 'react'
import { lazyPart } from '../parts/lazy-part.tsx'
import { useLoaded } from '../api/use-loaded.ts'
import { useServices } from '../app/services.ts'
import { ago } from '../app/when.ts'
import type { NotePart } from '../markdown/note-parts.ts'
import { useVault } from '../vaults/vault-context.ts'
import { bandsOf, placeOfBand, stackWords, type Band, type Block } from './bands.ts'
import { keepMarginWindow, margins, marginSince, marginWords, readMarginWindow } from './margin-window.ts'

const UndoDialog = lazyPart(() => import('./undo-dialog.tsx'))

// Labels begin below the facts about the note and the choice of authors, which are this high, in pixels.
const WORDS_FROM = 100
const WORDS_HEIGHT = { agent: 74, person: 44 }

type Props = {
  path: string
  text: string
  article: RefObject<HTMLElement | null>
  html: string
  /** The part of the note that is shown. */
  part: NotePart
}

/** The authors of each block and their times, beside the text. Changes of agents can be undone there. */
export default function MarginAuthors({ path, text, article, html, part }: Props) {
  const { client } = useServices()
  const { vault, tree } = useVault()
  const [shown, show] = useState(readMarginWindow)
  const [loaded, reload] = useLoaded(`authors ${vault.id} ${path} ${shown}`, async (signal) =>
    shown === 'none' ? [] : (await client.readAuthors({ vaultId: vault.id, path }, signal)).runs,
  )
  useEffect(reload, [tree, html, reload])
  const blocks = useBlocks(article, html)
  const [undone, undo] = useState<Band>()

  const since = marginSince(shown, systemClock.now())
  const lines = useMemo(() => text.slice(part.from, part.to).split('\n'), [text, part])
  // Lines outside the shown part have no position, so they are treated like blank lines.
  const isBlank = (line: number) => (lines[line - part.line] ?? '').trim() === ''
  const bands = loaded.state === 'ready' ? bandsOf(loaded.value, { since, isBlank }) : []
  const placed = bands.flatMap((band) => {
    const place = placeOfBand(band, blocks)
    return place ? [{ band, place }] : []
  })
  const words = stackWords(
    placed.map(({ band, place }) => ({ top: place.top, height: WORDS_HEIGHT[isAgent(band) ? 'agent' : 'person'] })),
    WORDS_FROM,
  )
  return (
    <>
      <label className="margin-window">
        <span className="sr-only">Show who wrote what</span>
        <select
          value={shown}
          onChange={({ target }) => {
            const chosen = margins.find((one) => one === target.value)!
            keepMarginWindow(chosen)
            show(chosen)
          }}
        >
          {margins.map((one) => (
            <option key={one} value={one}>
              {marginWords[one]}
            </option>
          ))}
        </select>
      </label>
      {placed.length > 0 && (
        <ul className="bands" aria-label="Who wrote what">
          {placed.map(({ band, place }, nth) => (
            <BandMark
              key={`${band.line} ${band.at}`}
              band={band}
              place={place}
              wordsAt={words[nth]! - place.top}
              onUndo={() => undo(band)}
            />
          ))}
        </ul>
      )}
      <Suspense>
        {undone && (
          <UndoDialog
            agent={undone.author}
            since={justBefore(undone.at)}
            path={path}
            onClose={() => undo(undefined)}
            onDone={reload}
          />
        )}
      </Suspense>
    </>
  )
}

const isAgent = ({ author }: Band) => author.kind === 'mcp_client'

type MarkProps = {
  band: Band
  place: { top: number; bottom: number }
  /** The distance of the label from the top of its band. */
  wordsAt: number
  onUndo: () => void
}

function BandMark({ band, place, wordsAt, onUndo }: MarkProps) {
  const { here } = useVault()
  const [isOpen, open] = useState(false)
  const { author, at, line, last } = band
  const name = author.id === here.person.id ? 'You' : author.name
  const when = ago(new Date(at), systemClock.now())
  const forWhom = author.person && (author.person.id === here.person.id ? 'you' : author.person.name)
  const by = isAgent(band) ? 'agent' : author.kind === 'outside' || author.kind === 'system' ? 'outside' : 'person'
  return (
    <li
      className="band"
      data-by={by}
      data-open={isOpen}
      data-ink={author.id === here.person.id ? 1 : inkOf(author.id)}
      ref={(element) => {
        element?.style.setProperty('top', `${place.top}px`)
        element?.style.setProperty('height', `${place.bottom - place.top}px`)
        element?.style.setProperty('--words-at', `${wordsAt}px`)
      }}
    >
      <button
        type="button"
        className="band-tap"
        aria-label={`Changed by ${name}${by === 'agent' ? ', an agent' : ''}, ${when}`}
        aria-expanded={isOpen}
        onClick={() => open(!isOpen)}
      />
      <div className="band-words" title={new Date(at).toLocaleString()}>
        <b>{name}</b>
        <span className="sr-only">
          {by === 'agent' ? ', an agent' : ''}, {line === last ? `line ${line}` : `lines ${line} to ${last}`},
        </span>
        <span>
          {by === 'agent' && forWhom !== undefined ? `for ${forWhom}, ` : ''}
          {when}
        </span>
        {by === 'agent' && (
          <button type="button" className="button small" onClick={onUndo}>
            Undo
          </button>
        )}
      </div>
    </li>
  )
}

/** The positions of the note's blocks, measured again whenever they move. */
function useBlocks(article: RefObject<HTMLElement | null>, html: string): readonly Block[] {
  const [blocks, setBlocks] = useState<readonly Block[]>([])
  useEffect(() => {
    const root = article.current
    if (!root) return
    const measure = () =>
      setBlocks(
        [...root.children].flatMap((child) => {
          const line = Number(
            (child as HTMLElement).dataset['line'] ?? child.querySelector<HTMLElement>('[data-line]')?.dataset['line'],
          )
          const { offsetTop, offsetHeight } = child as HTMLElement
          return line > 0 && offsetHeight > 0 ? [{ line, top: offsetTop, bottom: offsetTop + offsetHeight }] : []
        }),
      )
    const observer = new ResizeObserver(measure)
    observer.observe(root)
    return () => observer.disconnect()
    // eslint-disable-next-line react/exhaustive-effect-dependencies -- a new rendering has other blocks at other heights
  }, [article, html])
  return blocks
}

// A revert undoes changes after a time, so it begins just before this one.
const justBefore = (at: string) => new Date(new Date(at).getTime() - 1).toISOString()

/** One of the inks of other people, the same for a person everywhere. */
const inkOf = (id: string): number => 2 + ([...id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 4)
