const list = (names: string) => new Set(names.split(' '))

/** Elements of running text. */
const TEXT = list('abbr b bdi bdo cite code del dfn em i ins kbd mark q ruby s samp small span strong sub sup u var')
/** Elements that nothing closes: they have no content, or the next one of their kind ends them. */
const UNCLOSED = list('br col hr wbr caption colgroup dd dt li p rp rt tbody td tfoot th thead tr')
const BLOCKS = list('blockquote details div dl figcaption figure h1 h2 h3 h4 h5 h6 ol pre summary table ul')
const MAX_TEXT = 16
const MAX_BLOCKS = 64

/** Whether a note may write that element as HTML. None of them loads, runs or submits anything. */
export const isAllowed = (element: string): boolean => TEXT.has(element) || UNCLOSED.has(element) || BLOCKS.has(element)

/**
 * The HTML tags of a note that are open. A browser repeats text elements that are left open in each block after them, and
 * walks all open elements at each tag: thousands of open tags would hold up the page for minutes. So text elements end
 * with their block, and only so many are open at a time.
 */
export function createOpenTags() {
  const text: string[] = []
  let blocks = 0
  let refused = 0

  const endText = (from = 0): string =>
    text
      .splice(from)
      .reverse()
      .map((element) => `</${element}>`)
      .join('')

  return {
    /** What to write before the start tag of an element; undefined if too many are open. */
    begin(element: string): string | undefined {
      if (TEXT.has(element)) {
        if (text.length >= MAX_TEXT) return undefined
        text.push(element)
        return ''
      }
      if (BLOCKS.has(element)) {
        if (blocks >= MAX_BLOCKS) {
          refused += 1
          return undefined
        }
        blocks += 1
      }
      return element === 'br' || element === 'wbr' ? '' : endText()
    },

    /** What to write for an end tag: nothing where none is open, or where its start was refused. */
    close(element: string): string {
      if (TEXT.has(element)) {
        const at = text.lastIndexOf(element)
        return at === -1 ? '' : endText(at)
      }
      if (!BLOCKS.has(element)) return `${endText()}</${element}>`
      if (refused > 0) {
        refused -= 1
        return ''
      }
      if (blocks === 0) return ''
      blocks -= 1
      return `${endText()}</${element}>`
    },

    /** The end tags of the text elements that are open: a block of the note ends. */
    endText: () => endText(),
  }
}

export type OpenTags = ReturnType<typeof createOpenTags>
