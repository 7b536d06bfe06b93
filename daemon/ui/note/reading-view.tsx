import { Suspense, useEffect, useLayoutEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import { lazyPart } from '../parts/lazy-part.tsx'
import type { ScrollPlace } from '../app/navigation.ts'
import type { Route } from '../app/route.ts'
import type { Note } from '../api/daemon-client.ts'
import { withoutExtension, type LinkIndex } from '../links/link-index.ts'
import { useLatest } from '../app/use-latest.ts'
import type { NotePart } from '../markdown/note-parts.ts'
import type { RenderedNote } from '../markdown/render-note.ts'
import { sanitize } from '../markdown/sanitize.ts'
import { useLinkPreview } from '../preview/use-link-preview.ts'
import { fillCallouts } from '../callouts/fill-callouts.ts'
import { fillCode } from './fill-code.ts'
import { fillDiagrams } from './fill-diagrams.ts'
import { fillEmbeds } from './fill-embeds.ts'
import { fillMath } from './fill-math.ts'
import { fillPdfs } from './fill-pdfs.ts'
import { blockAtTop, findPlace, lineOf, type NotePlace } from './find-place.ts'
import { PartChoice } from '../long-notes/part-choice.tsx'
import { MarginFacts } from './margin-facts.tsx'
import { Properties } from '../properties/properties.tsx'
import { readingClick } from './reading-clicks.ts'
import { showBlocks } from './show-blocks.ts'

// Loaded once the note is shown.
const MarginAuthors = lazyPart(() => import('../authors/margin-authors.tsx'))

type Props = {
  vaultId: string
  path: string
  text: string
  /** The properties of the note as the daemon read them. */
  note: Note
  /** The rendered part of the note, and the outline of the whole note. */
  rendered: RenderedNote
  parts: { parts: readonly NotePart[]; nth: number; show: (nth: number) => void }
  index: LinkIndex
  /** The place to begin at; a new object is a new request to scroll there. */
  place: NotePlace
  /** The line to begin at if the place gives none. */
  startLine: number
  isEmpty: boolean
  /** Stores the scroll position, for the way back. */
  scroll: { recall: () => ScrollPlace | undefined; keep: (place: ScrollPlace) => void }
  /** Returns true the first time it is called for a place: the page must scroll there. Later calls return false. */
  onArrive: (place: NotePlace) => boolean
  read: (path: string) => Promise<string>
  onFollow: (route: Route) => void
  onTag: (tag: string) => void
  onTask: (line: number) => void
  onTopLine: (line: number) => void
}

/** A rendered note. */
export function ReadingView({ vaultId, path, text, rendered, index, place, startLine, isEmpty, ...rest }: Props) {
  const { note, read, scroll, onArrive, onFollow, onTag, onTask, onTopLine } = rest
  const article = useRef<HTMLElement>(null)
  const { html } = rendered
  const { parts, nth, show } = rest.parts
  const { line: firstLine } = parts[nth]!
  const surroundings = useLatest({ index, read })
  useLinkPreview(article, vaultId, surroundings)

  useLayoutEffect(() => {
    const root = article.current
    if (!root) return
    const fill = (added: DocumentFragment) => {
      void fillEmbeds(added, { vaultId, ...surroundings.current, inside: [path] })
      void fillMath(added)
      fillPdfs(added)
      void fillDiagrams(added)
      void fillCode(added)
      void fillCallouts(added)
    }
    showBlocks(root, { content: sanitize(html), note: `${vaultId} ${path}`, fill })
  }, [vaultId, path, html, surroundings])

  const start = useRef({ line: startLine, place, scroll, onArrive })
  useLayoutEffect(() => {
    const root = article.current
    const { line, place, scroll, onArrive } = start.current
    const kept = scroll.recall()
    const scroller = root?.closest('.note-scroll')
    if (root && scroller && kept) {
      scroller.scrollTop = kept.top
      // Embeds above are filled later, and the text may have changed.
      const block = kept.block && findPlace(root, kept.block)
      if (kept.block && block && block.offsetHeight > 0) scroller.scrollTop += topIn(scroller, block) - kept.block.below
      // A person who comes back returns to their scroll position, not to the heading that led here first.
      onArrive(place)
      return
    }
    if (root && line > 1) findPlace(root, { line })?.scrollIntoView({ block: 'start' })
  }, [])

  useEffect(() => {
    const root = article.current
    if (!root || (place.line === undefined && place.heading === undefined) || !onArrive(place)) return
    const target = findPlace(root, place)
    if (!target) return
    target.closest('details')?.setAttribute('open', '')
    target.scrollIntoView({ block: place.heading === undefined ? 'center' : 'start' })
    // Removing the class first restarts the animation, so going to the same place twice shows it twice.
    target.classList.remove('arrived')
    requestAnimationFrame(() => target.classList.add('arrived'))
  }, [place, onArrive])

  // Layout effects, because a person may scroll and click in the first frame that shows the note.
  useLayoutEffect(() => {
    const root = article.current
    const scroller = root?.closest<HTMLElement>('.note-scroll')
    if (!root || !scroller) return
    let frame = 0
    const follow = () => {
      if (frame !== 0) return
      frame = requestAnimationFrame(() => {
        frame = 0
        const found = blockAtTop(root, scroller.getBoundingClientRect().top)
        const block = found && { line: lineOf(found), below: topIn(scroller, found) }
        scroll.keep({ top: scroller.scrollTop, block })
        // Above the first block of a part there is no line: use the first line of the part.
        onTopLine(Math.max(firstLine, block?.line ?? 1))
      })
    }
    scroller.addEventListener('scroll', follow, { passive: true })
    return () => {
      cancelAnimationFrame(frame)
      scroller.removeEventListener('scroll', follow)
    }
  }, [onTopLine, firstLine, scroll])

  useLayoutEffect(() => {
    const root = article.current
    if (!root) return
    const click = (event: MouseEvent) =>
      readingClick(event, { root, follow: onFollow, searchTag: onTag, toggleTask: onTask })
    root.addEventListener('click', click)
    return () => root.removeEventListener('click', click)
  }, [onFollow, onTag, onTask])

  const showPart = (to: number) => {
    flushSync(() => show(to))
    const scroller = article.current?.closest<HTMLElement>('.note-scroll')
    scroller?.scrollTo({ top: 0 })
    scroller?.focus()
    onTopLine(parts[to]!.line)
  }
  const isLong = parts.length > 1

  return (
    <div className="note-scroll" tabIndex={-1}>
      <MarginFacts text={text} modifiedAt={index.find(path)?.modifiedAt} />
      {rendered.outline[0]?.level !== 1 && <h1 className="note-name">{withoutExtension(path.split('/').at(-1)!)}</h1>}
      {Object.keys(note.properties).length > 0 && (
        <details className="inline-properties">
          <summary>Properties</summary>
          <Properties note={note} />
        </details>
      )}
      <Suspense fallback={null}>
        <MarginAuthors path={path} text={text} article={article} html={html} part={parts[nth]!} />
      </Suspense>
      {isLong && <PartChoice parts={parts} nth={nth} onShow={showPart} />}
      <article ref={article} className="reading" aria-label="Note" />
      {isLong && <PartChoice parts={parts} nth={nth} onShow={showPart} isBelow />}
      {isEmpty && <p className="quiet empty-note">This note is empty. Choose Edit to write.</p>}
    </div>
  )
}

/** Pixels from the upper edge of a scrolled area down to an element in it. */
const topIn = (scroller: Element, element: Element): number =>
  element.getBoundingClientRect().top - scroller.getBoundingClientRect().top
