import { expect, it } from 'vitest'
import { childSettings } from '../../../../test/support/child-settings.ts'
import { someDaemon } from '../../../../test/support/managed-daemon-specs.ts'
import { statefulSet, type ChildSettings } from '../../managed-daemon/children.ts'
import type { Pod } from '../../managed-daemon/pod-machine.ts'
import { trimChild, type ChildObject } from './trim-objects.ts'
import { hasContent, imageOf, isCurrent, templateOf } from './workload-template.ts'

const daemon = someDaemon()
const written = (image: string, changes: Partial<ChildSettings> = {}): ChildObject =>
  statefulSet(daemon, image, { ...childSettings, ...changes })
const withTemplate = (found: ChildObject, template: NonNullable<ChildObject['spec']>['template']): ChildObject => ({
  ...found,
  spec: { ...found.spec, template },
})

it('takes what was written for current, whatever its image, also as it is kept in memory', () => {
  for (const found of [written('a'), written('b'), trimChild(written('a'))])
    expect(isCurrent(found, daemon, childSettings)).toBe(true)
  expect(hasContent(written('a'), written('b'))).toBe(false)
  expect(hasContent(trimChild(written('a')), written('a'))).toBe(true)
})

it('notices other settings and another spec', () => {
  expect(isCurrent(written('a'), daemon, { ...childSettings, nodeSelector: { pool: 'b' } })).toBe(false)
  const larger = { ...daemon, spec: { ...daemon.spec, resources: { cpu: '1', memory: '1Gi' } } }
  expect(isCurrent(written('a'), larger, childSettings)).toBe(false)
})

it('notices an image and a template that somebody put into it', () => {
  const found = written('a')
  const { metadata } = found.spec!.template!
  const imageSet = withTemplate(found, { metadata, spec: { containers: [{ name: 'svcd', image: 'b' }] } })
  const undone = withTemplate(found, written('a', { nodeSelector: { pool: 'old' } }).spec!.template)
  for (const changed of [imageSet, undone, trimChild(imageSet), trimChild(undone)]) {
    expect(isCurrent(changed, daemon, childSettings)).toBe(false)
    expect(hasContent(changed, written('a'))).toBe(false)
  }
})

it('knows the template of a pod once the controller has seen the present one', () => {
  const pod = (revision: string): Pod => ({
    metadata: { name: 'org-a-0', labels: { 'controller-revision-hash': revision } },
  })
  const at = (observedGeneration: number): ChildObject => ({
    metadata: { name: 'org-a', generation: 2 },
    status: { observedGeneration, updateRevision: 'new' },
  })
  expect(templateOf(pod('new'), at(2))).toBe('current')
  expect(templateOf(pod('old'), at(2))).toBe('outdated')
  expect(templateOf(pod('old'), trimChild(at(2)))).toBe('outdated')
  expect(templateOf(pod('old'), at(1))).toBe('unknown')
  expect(templateOf(pod('old'), undefined)).toBe('unknown')
  expect(templateOf(pod('old'), { metadata: { name: 'org-a' } })).toBe('unknown')
})

it('takes the image that admission changed in a pod for the one of its template', () => {
  const owner = { daemon, settings: childSettings }
  const found = { ...written('a'), status: { observedGeneration: 1, updateRevision: 'new' } }
  found.metadata.generation = 1
  const pod = ({ image = 'mirror/a', revision = 'new', template = written('a'), generation = 1 }): Pod => ({
    metadata: {
      name: 'org-a-0',
      generation,
      labels: { 'controller-revision-hash': revision },
      ...(template.spec?.template?.metadata?.annotations && {
        annotations: template.spec.template.metadata.annotations,
      }),
    },
    spec: { containers: [{ name: 'svcd', image }] },
  })
  const unseen = { ...found, metadata: { ...found.metadata, generation: 2 } }
  const retouched = withTemplate(unseen, {
    ...found.spec?.template,
    spec: { containers: [{ name: 'svcd', image: 'b' }] },
  })
  expect(imageOf(pod({}), found, owner)).toBe('a')
  expect(imageOf(pod({}), trimChild(found), owner)).toBe('a')
  expect(imageOf(pod({}), unseen, owner)).toBe('a')
  // A pod of an earlier template, one that somebody has edited, and one that cannot be compared.
  expect(imageOf(pod({ image: 'mirror/z', revision: 'old', template: written('z') }), found, owner)).toBe('mirror/z')
  expect(imageOf(pod({ generation: 2 }), found, owner)).toBe('mirror/a')
  expect(imageOf(pod({}), undefined, owner)).toBe('mirror/a')
  expect(imageOf(pod({ image: 'a' }), retouched, owner)).toBe('a')
})
