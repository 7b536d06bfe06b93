import { expect, test } from 'vitest'
import { readFileSync } from 'node:fs'
import { imageOptions } from '../../bench/relay/image-options.ts'

test('the code of the image is compiled ahead under the options that it runs with, or V8 would not take it', () => {
  const dockerfile = readFileSync(new URL('../../control-plane/Dockerfile', import.meta.url), 'utf8')
  const options = imageOptions()
  expect(options.length).toBeGreaterThan(0)
  expect(dockerfile).toContain(`node --predictable ${options.join(' ')} /app/app/main.mjs`)
})
