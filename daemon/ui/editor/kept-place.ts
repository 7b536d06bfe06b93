import type { LiveLink } from '../live/live-link.ts'

/** A place in the live text. It moves with the text, also when no editor shows it. */
export function keptPlace(link: Pick<LiveLink, 'follow' | 'change'>, from: number) {
  let at = from
  const stop = link.follow(({ changes }) => (at = changes.mapPos(at, 1)))
  return {
    at: () => at,
    /** Inserts text there without an editor. */
    insert: (text: string) => link.change((now) => now.slice(0, at) + text + now.slice(at)),
    stop,
  }
}
