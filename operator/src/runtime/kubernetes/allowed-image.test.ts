import { expect, it } from 'vitest'
import { createAllowedImage } from './allowed-image.ts'

const repository = 'registry.example.net:5000/team/svcd'
const digest = `@sha256:${'a'.repeat(64)}`

it.each([
  [`${repository}${digest}`, 'required', 'allowed'],
  [`${repository}:1.0.0${digest}`, 'required', 'allowed'],
  [`${repository}:1.0.0`, 'required', 'refused'],
  [`${repository}:1.0.0`, 'preferred', 'allowed'],
  [`${repository}:latest`, 'preferred', 'refused'],
  [repository, 'preferred', 'refused'],
  [`${repository}-evil${digest}`, 'required', 'refused'],
  [`registry.example.net/team/svcd${digest}`, 'required', 'refused'],
  [`evil.example/registry.example.net:5000/team/svcd${digest}`, 'required', 'refused'],
  ['/bin/sh', 'preferred', 'refused'],
] as const)('%s with digests %s is %s', (image, digests, state) => {
  expect(createAllowedImage({ repository, digests })(image).state).toBe(state)
})
