import { pageColour } from '../app/page-colour.ts'

export type GraphColours = Record<'ink' | 'quiet' | 'line' | 'link' | 'pencil' | 'paper', string>

/** The colours of the page for the picture of a graph. */
export const graphColours = (): GraphColours => ({
  ink: pageColour('--ink'),
  quiet: pageColour('--ink-quiet'),
  line: pageColour('--hair'),
  link: pageColour('--blue'),
  pencil: pageColour('--pencil-line'),
  paper: pageColour('--paper'),
})
