/**
 * Sixteen hexadecimal digits that nobody else will choose by chance. They are no secret: somebody who wants to can guess
 * them. `node:crypto` takes 5 ms to load, which a process that starts does not have.
 */
export const chanceName = (): string => eightDigits() + eightDigits()

const eightDigits = () =>
  Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0')
