import { beforeAll, describe, expect, it } from 'vitest'
import { managedDaemonName, type ManagedDaemonStatus } from '@svc/shared/wire/managed-daemon.ts'
import {
  StoreConflict,
  StoreRejection,
  type ManagedDaemonEvent,
  type ManagedDaemonStore,
} from '@svc/shared/wire/managed-daemon-store.ts'
import { someSpec } from './managed-daemon-specs.ts'
import { until } from './until.ts'

const status = (changes: Partial<ManagedDaemonStatus> = {}): ManagedDaemonStatus => ({
  observedState: 'running',
  observedGeneration: 1,
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      observedGeneration: 1,
      lastTransitionTime: '2026-11-21T10:00:00.000Z',
      reason: 'Serving',
      message: 'The daemon serves.',
    },
  ],
  ...changes,
})

/**
 * The required behaviour of every store of ManagedDaemon resources; run against each store. If a store is the control
 * plane's, a second store over the same resources does the operator's part.
 */
export function storeConformance(
  open: () => Promise<{ store: ManagedDaemonStore; operator?: ManagedDaemonStore }>,
): void {
  let store: ManagedDaemonStore
  let operator: ManagedDaemonStore
  beforeAll(async () => {
    const opened = await open()
    store = opened.store
    operator = opened.operator ?? opened.store
  })

  const watching = async (run: (events: ManagedDaemonEvent[]) => Promise<void>) => {
    const events: ManagedDaemonEvent[] = []
    const stop = store.watch((event) => void events.push(event))
    try {
      await until('the listing', () => events.some(({ type }) => type === 'synced'))
      await run(events)
    } finally {
      stop()
    }
  }

  describe('creating', () => {
    it('names the resource after its organization and starts at generation 1', async () => {
      const spec = someSpec()
      const daemon = await store.create(spec)
      expect(daemon).toMatchObject({ name: managedDaemonName(spec.orgId), generation: 1, spec })
      expect(daemon.status).toEqual({ observedState: 'pending', conditions: [] })
      expect(daemon.deletedAt).toBeUndefined()
      expect(await store.find(daemon.name)).toEqual(daemon)
    })

    it('answers the resource that is there, unchanged', async () => {
      const spec = someSpec()
      const daemon = await store.create(spec)
      expect(await store.create({ ...spec, orgSlug: 'other' })).toEqual(daemon)
    })

    it('finds nothing under a name that nobody has', async () => {
      expect(await store.find('org-zzzzzzzzzzzzzzzzzzzzzzzz')).toBeUndefined()
    })

    const bad: [string, Parameters<typeof someSpec>[0]][] = [
      ['an id of another kind', { orgId: 'usr_aaaaaaaaaaaaaaaaaaaaaaaa' }],
      ['a size that is no size', { storage: { size: 'much' } }],
      ['a state that is no state', { desiredState: 'away' as never }],
      [
        'an accepted generation that was never wanted',
        { relay: { url: 'u', keyGeneration: 1, acceptedGeneration: 2 } },
      ],
      ['a growth limit below the size', { storage: { size: '2Gi', autoGrow: { maxSize: '1Gi', abovePercent: 80 } } }],
      ['an operation without an id', { operation: { id: '', action: 'provision', epoch: 0 } }],
    ]
    it.each(bad)('refuses %s', async (_what, changes) => {
      const spec = someSpec(changes)
      await expect(store.create(spec)).rejects.toThrow(StoreRejection)
      expect(await store.find(managedDaemonName(spec.orgId))).toBeUndefined()
    })
  })

  describe('patching the spec', () => {
    it('changes just the fields of the patch and counts the generation', async () => {
      const before = await store.create(someSpec({ storage: { size: '1Gi', className: 'fast' } }))
      const patch = { desiredState: 'sleeping', storage: { size: '2Gi' } } as const
      const after = await store.patchSpec(before.name, before.resourceVersion, patch)
      expect(after.spec).toEqual({
        ...before.spec,
        desiredState: 'sleeping',
        storage: { size: '2Gi', className: 'fast' },
      })
      expect(after.generation).toBe(2)
      expect(after.resourceVersion).not.toBe(before.resourceVersion)
    })

    it('removes a field by null', async () => {
      const autoGrow = { maxSize: '4Gi', abovePercent: 80 }
      const before = await store.create(someSpec({ storage: { size: '1Gi', autoGrow } }))
      const after = await store.patchSpec(before.name, before.resourceVersion, { storage: { autoGrow: null as never } })
      expect(after.spec.storage).toEqual({ size: '1Gi' })
    })

    it('writes nothing when nothing changes', async () => {
      const before = await store.create(someSpec())
      const after = await store.patchSpec(before.name, before.resourceVersion, { desiredState: 'running' })
      expect(after).toEqual(before)
    })

    it('refuses an old version, also of a resource that is not there', async () => {
      const before = await store.create(someSpec())
      await store.patchSpec(before.name, before.resourceVersion, { orgSlug: 'renamed' })
      const late = store.patchSpec(before.name, before.resourceVersion, { orgSlug: 'late' })
      await expect(late).rejects.toThrow(StoreConflict)
      const nowhere = store.patchSpec('org-zzzzzzzzzzzzzzzzzzzzzzzz', '1', { orgSlug: 'late' })
      await expect(nowhere).rejects.toThrow(StoreConflict)
    })

    const operation = { id: 'operation-1', action: 'image_roll', epoch: 3 } as const
    const from = {
      storage: { size: '2Gi', className: 'fast' },
      relay: { url: 'u', keyGeneration: 2, acceptedGeneration: 2 },
      operation,
    }
    const bad: [string, Parameters<ManagedDaemonStore['patchSpec']>[2]][] = [
      ['another organization', { orgId: 'org_bbbbbbbbbbbbbbbbbbbbbbbb' }],
      ['a smaller volume', { storage: { size: '1Gi' } }],
      ['a smaller volume in another unit', { storage: { size: '2047Mi' } }],
      ['another storage class', { storage: { className: 'slow' } }],
      ['no storage class', { storage: { className: null as never } }],
      ['an older epoch', { operation: { ...operation, epoch: 2 } }],
      ['no operation', { operation: null }],
      ['an older key', { relay: { keyGeneration: 1, acceptedGeneration: 1 } }],
      ['a forgotten acceptance', { relay: { acceptedGeneration: 1 } }],
      ['a size that is no size', { storage: { size: '-1Gi' } }],
    ]
    it.each(bad)('refuses %s and changes nothing', async (_what, patch) => {
      const before = await store.create(someSpec(from))
      await expect(store.patchSpec(before.name, before.resourceVersion, patch)).rejects.toThrow(StoreRejection)
      expect(await store.find(before.name)).toEqual(before)
    })
  })

  describe('the size of the volume after a refused growth', () => {
    const GIB = 2 ** 30
    const storage = { capacityBytes: 2 * GIB, usedBytes: GIB }
    const failedGrowth = { sizeBytes: 500 * GIB }
    const sized = async (known: Partial<ManagedDaemonStatus>) => {
      const { name, resourceVersion } = await store.create(someSpec({ storage: { size: '500Gi' } }))
      const { resourceVersion: now } = await operator.putStatus(name, resourceVersion, status(known))
      return (size: string) => store.patchSpec(name, now, { storage: { size } })
    }

    it('may be corrected to one above that of the volume', async () => {
      const resize = await sized({ storage, failedGrowth })
      await expect(resize('2Gi')).rejects.toThrow(StoreRejection)
      expect((await resize('2049Mi')).spec.storage.size).toBe('2049Mi')
    })

    it.each([
      ['the growth was not refused', { storage }],
      ['the size of the volume is not known', { failedGrowth }],
    ])('never falls while %s', async (_what, known) => {
      const resize = await sized(known)
      await expect(resize('50Gi')).rejects.toThrow(StoreRejection)
    })
  })

  describe('the status', () => {
    it('replaces the status and leaves spec and generation', async () => {
      const before = await store.create(someSpec())
      const first = await operator.putStatus(before.name, before.resourceVersion, status({ version: '1.0.0' }))
      const second = await operator.putStatus(first.name, first.resourceVersion, status({ observedState: 'sleeping' }))
      expect(second.status).toEqual(status({ observedState: 'sleeping' }))
      expect(second).toMatchObject({ generation: 1, spec: before.spec })
    })

    it('refuses an old version and a status that is none', async () => {
      const before = await store.create(someSpec())
      const after = await operator.putStatus(before.name, before.resourceVersion, status())
      await expect(operator.putStatus(before.name, before.resourceVersion, status())).rejects.toThrow(StoreConflict)
      const wrong = status({ observedState: 'fine' as never })
      await expect(operator.putStatus(after.name, after.resourceVersion, wrong)).rejects.toThrow(StoreRejection)
    })
  })

  describe('removing', () => {
    it('marks the resource, keeps it until it is released, and frees its name', async () => {
      const spec = someSpec()
      const { name, uid, resourceVersion } = await store.create(spec)
      await operator.release(name, resourceVersion)
      expect((await store.find(name))?.deletedAt).toBeUndefined()

      await store.remove(name)
      await store.remove(name)
      const marked = await store.find(name)
      expect(marked).toMatchObject({ uid, deletedAt: expect.stringMatching(/Z$/) })
      const noted = await operator.putStatus(name, marked!.resourceVersion, status({ observedState: 'deleting' }))
      expect(noted.deletedAt).toBe(marked?.deletedAt)

      // Whoever changed it meanwhile may want its volume to go as well.
      await operator.release(name, marked!.resourceVersion)
      expect(await store.find(name)).toBeDefined()
      await operator.release(name, noted.resourceVersion)
      await until('the resource is gone', async () => (await store.find(name)) === undefined)
      await store.remove(name)
      expect((await store.create(spec)).uid).not.toBe(uid)
    })
  })

  describe('removing what was read', () => {
    const release = async (name: string) => operator.release(name, (await store.find(name))!.resourceVersion)

    it('marks the resource that has not changed, also again', async () => {
      const daemon = await store.create(someSpec())
      await store.remove(daemon.name, daemon)
      const marked = (await store.find(daemon.name))!
      expect(marked.deletedAt).toBeDefined()
      await store.remove(daemon.name, marked)
      await release(daemon.name)
    })

    it('leaves a resource that has changed, in its spec or in its status', async () => {
      const before = await store.create(someSpec())
      const patched = await store.patchSpec(before.name, before.resourceVersion, { orgSlug: 'renamed' })
      await expect(store.remove(before.name, before)).rejects.toThrow(StoreConflict)
      const noted = await operator.putStatus(before.name, patched.resourceVersion, status())
      await expect(store.remove(before.name, patched)).rejects.toThrow(StoreConflict)
      expect((await store.find(before.name))?.deletedAt).toBeUndefined()
      await store.remove(before.name, noted)
      expect((await store.find(before.name))?.deletedAt).toBeDefined()
      await release(before.name)
    })

    it('leaves another resource of the same name, and finds nothing to do where there is none', async () => {
      const spec = someSpec()
      const before = await store.create(spec)
      await store.remove(before.name)
      await release(before.name)
      await until('the resource is gone', async () => (await store.find(before.name)) === undefined)
      await store.remove(before.name, before)
      const after = await store.create(spec)
      await expect(store.remove(before.name, before)).rejects.toThrow(StoreConflict)
      const { resourceVersion } = after
      await expect(store.remove(before.name, { uid: before.uid, resourceVersion })).rejects.toThrow(StoreConflict)
      expect((await store.find(before.name))?.deletedAt).toBeUndefined()
    })
  })

  describe('watching', () => {
    it('lists first, then tells each change in order and each removal', async () => {
      const before = await store.create(someSpec())
      await watching(async (events) => {
        const synced = events.findIndex(({ type }) => type === 'synced')
        expect(events.slice(0, synced)).toContainEqual({ type: 'upserted', daemon: before })

        const mine = () =>
          events.slice(synced).filter((event) => 'daemon' in event && event.daemon.name === before.name)
        const patched = await store.patchSpec(before.name, before.resourceVersion, { orgSlug: 'renamed' })
        await until('the change', () => mine().length === 1)
        expect(mine()).toEqual([{ type: 'upserted', daemon: patched }])

        const created = await store.create(someSpec())
        await until('the new one', () => events.some((event) => 'daemon' in event && event.daemon.uid === created.uid))

        await store.remove(created.name)
        await operator.release(created.name, (await store.find(created.name))!.resourceVersion)
        const gone = { type: 'removed', name: created.name, uid: created.uid }
        await until('the removal', () => events.some((event) => event.type === 'removed' && event.uid === created.uid))
        expect(events).toContainEqual(gone)
      })
    })

    it('outlives a listener that throws, and stops when asked', async () => {
      let told = 0
      const stop = store.watch(() => {
        told++
        throw new Error('a broken listener')
      })
      await until('the listing', () => told > 0)
      const before = told
      await store.create(someSpec())
      await until('the next event', () => told > before)
      stop()
      const after = told
      await watching(async (events) => {
        const created = await store.create(someSpec())
        await until('another watcher', () =>
          events.some((event) => 'daemon' in event && event.daemon.uid === created.uid),
        )
      })
      expect(told).toBe(after)
    })

    it('lists what was created', async () => {
      const created = await store.create(someSpec())
      expect((await store.list()).find(({ name }) => name === created.name)).toEqual(created)
    })
  })
}
