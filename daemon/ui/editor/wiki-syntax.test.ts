import { markdown, markdownLanguage } from '@codemirror/lang-markdown'
import { expect, test } from 'vitest'
import { leastCpuMs } from '../../../test/support/cpu-time.ts'
import { wikiSyntax } from './wiki-syntax.ts'

const { parser } = markdown({ base: markdownLanguage, extensions: wikiSyntax }).language

const named = (text: string) => {
  const found: string[] = []
  parser.parse(text).iterate({
    enter: ({ name, from, to }) => {
      if (name === 'WikiLink' || name === 'Highlight') found.push(text.slice(from, to))
    },
  })
  return found
}

test('links, embeds and highlights are named, and nothing that only begins like them', () => {
  expect(named('a [[b]] ![[c|d]] ==e f== `[[g]]` == h == [[i')).toEqual(['[[b]]', '![[c|d]]', '==e f=='])
})

test.each(['==a ', '[[a', '![[a ', '=='])('a long line of %j is read in linear time', async (mark) => {
  const cost = (length: number) => leastCpuMs(() => parser.parse(mark.repeat(length / mark.length)))
  await cost(40_000)
  // Eight times the length: quadratic parsing would cost 64 times as much. The margin of 200 ms is for garbage
  // collection.
  expect(await cost(320_000)).toBeLessThan(24 * (await cost(40_000)) + 200)
})
