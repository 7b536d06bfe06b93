const list = (names: string) => new Set(names.split(' '))

/** Elements inside running text. */
const TEXT = list('abbr b bdi bdo cite code del dfn em i ins kbd mark q ruby s samp small span strong sub sup u var')
/** Elements without an end tag: they are empty, or the next element of their kind ends them. */
const UNCLOSED = list('br col hr wbr caption colgroup dd dt li p rp rt tbody td tfoot th thead tr')
const BLOCKS = list('blockquote details div dl figcaption figure h1 h2 h3 h4 h5 h6 ol pre summary table ul')
const MAX_TEXT = 16
const MAX_BLOCKS = 64

/** Whether a note may contain this element as HTML. None of these elements loads, runs or submits anything. */
export const isAllowed = (element: string): boolean => TEXT.has(element) || UNCLOSED.has(element) || BLOCKS.has(element)

/**
 * The HTML elements that are open in a note. Browsers repeat unclosed text elements in each following block, and walk
 * all open elements at each tag, so thousands of open tags would block the page for minutes. Therefore text elements
 * end with their block, and the number of open elements is limited.
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

    /** What to write for an end tag: nothing if the element is not open, or if its start tag was refused. */
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

    /** The end tags of all open text elements, for the end of a block. */
    endText: () => endText(),
  }
}

export type OpenTags = ReturnType<typeof createOpenTags>
