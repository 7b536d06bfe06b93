import { describe, expect, it } from 'vitest'
import { createPasswords } from './passwords.ts'

/** Hashing in which the test ends each hash. */
function heldHashing() {
  const begun: { password: string; end: () => void; fail: () => void }[] = []
  const hold = (password: string) =>
    new Promise<string>((resolve, reject) => {
      begun.push({ password, end: () => resolve(`hash of ${password}`), fail: () => reject(new Error('no memory')) })
    })
  return { begun, hash: hold, verify: async ({ password }: { password: string }) => (await hold(password)) !== '' }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('passwords', () => {
  it('are hashed three at once, in the order of the calls, and a failure gives its turn to the next', async () => {
    const { begun, ...hashing } = heldHashing()
    const passwords = createPasswords(hashing)
    const hashes = ['a', 'b', 'c', 'd'].map((password) => passwords.hash(password))
    const failing = expect(hashes[1]).rejects.toThrow('no memory')
    const checked = passwords.verify({ hash: '', password: 'e' })
    await settled()
    expect(begun.map(({ password }) => password)).toEqual(['a', 'b', 'c'])

    begun[1]!.fail()
    await failing
    await settled()
    expect(begun.map(({ password }) => password)).toEqual(['a', 'b', 'c', 'd'])

    for (const { end } of begun) end()
    await settled()
    begun[4]!.end()
    expect(await checked).toBe(true)
    expect(await hashes[3]).toBe('hash of d')
  })

  it('refuse the 65th request in flight, and admit again when one has ended, even by a failure', async () => {
    const { admit } = createPasswords(heldHashing())
    const ends: (() => void)[] = []
    const requests = Array.from({ length: 64 }, (_, index) =>
      admit(
        () => new Promise<void>((resolve, reject) => ends.push(index === 0 ? () => reject(new Error('x')) : resolve)),
      ),
    )
    const first = expect(requests[0]).rejects.toThrow('x')
    await expect(admit(async () => 'in')).rejects.toMatchObject({ code: 'server_busy', retryAfterSeconds: 3 })

    ends[0]!()
    await first
    expect(await admit(async () => 'in')).toBe('in')
    for (const end of ends) end()
    await Promise.all(requests.slice(1))
  })
})
