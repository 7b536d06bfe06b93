import { expect, test } from 'vitest'
import { createAllowedImages, checkImage, type ImageRule } from './allowed-image.ts'

const repository = 'registry.example.net/svcd'
const digest = `@sha256:${'0'.repeat(64)}`
const rule = (changes: Partial<ImageRule> = {}): ImageRule => ({
  repository,
  digests: 'preferred',
  tags: 'resolved',
  ...changes,
})

test.each<[string, string, ImageRule]>([
  ['a tag of the repository', `${repository}:1.2.3`, rule()],
  ['a digest of the repository', `${repository}${digest}`, rule({ digests: 'required', tags: 'as_they_are' })],
  ['a tag that will be resolved where digests are required', `${repository}:1.2.3`, rule({ digests: 'required' })],
])('allows %s', (_name, image, allowed) => expect(() => checkImage(image, allowed)).not.toThrow())

test.each<[string, string, ImageRule, string]>([
  ['another repository', `registry.example.net/other${digest}`, rule(), 'RepositoryDiffers'],
  ['another host', `registry.example.org/svcd${digest}`, rule(), 'RepositoryDiffers'],
  ['a host that only begins alike', `registry.example.net.evil.example/svcd${digest}`, rule(), 'RepositoryDiffers'],
  ['a repository that only begins alike', `${repository}-evil${digest}`, rule(), 'RepositoryDiffers'],
  ['text that is no image reference', `${repository} ; rm -rf /`, rule(), 'RepositoryDiffers'],
  [
    'every image where no repository is set',
    `${repository}${digest}`,
    rule({ repository: undefined }),
    'RepositoryDiffers',
  ],
  [
    'a tag where digests are required and tags stay',
    `${repository}:1.2.3`,
    rule({ digests: 'required', tags: 'as_they_are' }),
    'DigestRequired',
  ],
])('refuses %s', (_name, image, allowed, reason) =>
  expect(() => checkImage(image, allowed)).toThrow(
    expect.objectContaining({ code: 'image_not_allowed', details: { reason } }),
  ),
)

test('tags stay as they are only where the environment has no registry to ask', () => {
  const settings = { repository, digests: 'required' } as const
  expect(() => createAllowedImages({ ...settings, registry: { url: 'none' } })(`${repository}:1.2.3`)).toThrow()
  expect(() => createAllowedImages({ ...settings, registry: { url: undefined } })(`${repository}:1.2.3`)).not.toThrow()
})
