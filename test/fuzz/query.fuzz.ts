import { parseQuery } from '../../daemon/src/search/words/query.ts'
import type { FuzzTarget } from '../support/fuzz.ts'

/** A search as people type it: every text is a valid query. */
export const target: FuzzTarget = {
  name: 'query',
  input: 'text',
  maxLength: 1000,
  seeds: ['word other', '"a phrase" -not path:notes', 'tag:a/b title:"x y" prop:key=value', '漢字 プラグイン'],
  words: ['"', '-', 'path:', 'tag:#', 'title:', 'prop:', '=', '-"', ' '],
  call: parseQuery,
}
