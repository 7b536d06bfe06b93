/** Stands for the formula library of Mermaid, whose fonts a picture would not have. */
export default {
  renderToString(): never {
    throw new Error('Formulas in diagrams are not supported.')
  },
}
