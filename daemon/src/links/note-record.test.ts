import { expect, test } from 'vitest'
import { linkFactsOf } from '../markdown/link-facts.ts'
import { linksIn, namesIn, packRecord, placesIn } from './note-record.ts'

test('a record comes back as it was packed', () => {
  const text = '---\nup: "[[Über#x]]"\n---\n# H\n![[a b.png]] [t](../c.md#h)\n\n[r]: <d e>\n\nend ^id\n'
  const facts = linkFactsOf({ text })
  expect(facts.links).toHaveLength(4)
  const record = packRecord({ ...facts, tags: ['a', 'ä/b'], properties: ['up'] })
  expect([...linksIn(record)]).toEqual(facts.links)
  expect(placesIn(record)).toEqual(facts.places)
  expect(namesIn(record)).toEqual({ tags: ['a', 'ä/b'], properties: ['up'] })
})
