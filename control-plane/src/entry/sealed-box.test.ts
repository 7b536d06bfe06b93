import { expect, it } from 'vitest'
import { Secret } from '@svc/shared/kit/secret.ts'
import { createSealedBox } from './sealed-box.ts'

const box = createSealedBox(new Secret('the secret of the platform'), 'test')

it('opens what it sealed, under the same name', () => {
  const sealed = box.seal(Buffer.from('private'), 'key-1')
  expect(sealed.includes('private')).toBe(false)
  expect(box.open(sealed, 'key-1').toString()).toBe('private')
  expect(() => box.open(sealed, 'key-2')).toThrow()
})

it('opens nothing that was changed, or sealed by another secret or for another purpose', () => {
  const sealed = box.seal(Buffer.from('private'), 'key-1')
  const changed = Buffer.from(sealed)
  changed[changed.length - 1]! ^= 1
  expect(() => box.open(changed, 'key-1')).toThrow()
  expect(() => createSealedBox(new Secret('another'), 'test').open(sealed, 'key-1')).toThrow()
  expect(() => createSealedBox(new Secret('the secret of the platform'), 'other').open(sealed, 'key-1')).toThrow()
})
