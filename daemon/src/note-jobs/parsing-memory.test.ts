import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { parsingHeapMb } from './parsing-memory.ts'

test.each([
  ['a container of 256 MiB', 256 * 1024 ** 2, 128],
  ['a container of 512 MiB', 512 * 1024 ** 2, 288],
  ['a container of 1 GiB', 1024 ** 3, 800],
  ['a container of 4 GiB', 4 * 1024 ** 3, 1024],
  ['no limit', 0, 1024],
  ['no limit, as a control group states it', 18_446_744_073_709_552_000, 1024],
])('the worker fits into the memory of %s', (_what, bytes, megabytes) => {
  verifies('untrusted.off-loop')
  expect(parsingHeapMb(bytes)).toBe(megabytes)
})
