import DOMPurify from 'dompurify'

const purifier = DOMPurify()

/**
 * The second defence after the rendering of formulas: keeps MathML alone, without links, styles and the copied source.
 */
export function sanitizeMath(mathml: string): DocumentFragment {
  return purifier.sanitize(mathml, {
    USE_PROFILES: { mathMl: true },
    FORBID_TAGS: ['annotation'],
    FORBID_CONTENTS: ['annotation', 'annotation-xml', 'script', 'style'],
    FORBID_ATTR: ['style', 'href', 'class', 'id'],
    RETURN_DOM_FRAGMENT: true,
  })
}
