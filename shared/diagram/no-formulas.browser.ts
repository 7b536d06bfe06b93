/** Replaces the formula library of Mermaid, whose fonts a picture cannot use. */
export default {
  renderToString(): never {
    throw new Error('Formulas in diagrams are not supported.')
  },
}
