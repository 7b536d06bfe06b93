import DOMPurify from 'dompurify'

const purifier = DOMPurify()

/**
 * The second defence after the rendering of formulas: keeps only MathML, without links, styles and the copy of the
 * source.
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
