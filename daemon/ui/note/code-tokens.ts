import { LanguageDescription } from '@codemirror/language'
import { languages } from '@codemirror/language-data'
import { classHighlighter, highlightCode } from '@lezer/highlight'

/** A piece of code and the class for its colour: `tok-keyword`, `tok-string`, … */
export type CodeToken = { text: string; classes: string }

/** The tokens of a piece of code; undefined for an unknown language. */
export async function tokensOf(code: string, language: string): Promise<CodeToken[] | undefined> {
  const known = LanguageDescription.matchLanguageName(languages, language, false)
  if (!known) return undefined
  const { parser } = (await known.load()).language
  const tokens: CodeToken[] = []
  highlightCode(
    code,
    parser.parse(code),
    classHighlighter,
    (text, classes) => tokens.push({ text, classes }),
    () => tokens.push({ text: '\n', classes: '' }),
  )
  return tokens
}
