import type { FactorSeal } from '../sign-in/factor-seal.ts'
import type { SealedApp, SecondFactorsRepository } from './second-factors.repository.ts'

type Deps = {
  secondFactors: Pick<SecondFactorsRepository, 'findSealed' | 'listSealed' | 'updateSealed'>
  seal: Pick<FactorSeal, 'reseal'>
}

/**
 * Seals authenticator apps and their recovery codes with the present secret. A change that the person makes meanwhile
 * wins; the next run looks at what it stored.
 */
export function createResealSecondFactors({ secondFactors, seal }: Deps) {
  const reseal = async (app: SealedApp): Promise<{ isResealed: boolean; isOpened: boolean }> => {
    const [secret, backupCodes] = [await seal.reseal(app.secret), await seal.reseal(app.backupCodes)]
    const texts = { secret: secret ?? app.secret, backupCodes: backupCodes ?? app.backupCodes }
    const isResealed = texts.secret !== app.secret || texts.backupCodes !== app.backupCodes
    if (isResealed) await secondFactors.updateSealed(app, texts)
    return { isResealed, isOpened: secret !== undefined && backupCodes !== undefined }
  }

  return {
    /** Reseals the app of one person. The library opens only what the present secret sealed. */
    one: async (userId: string): Promise<void> => {
      const app = await secondFactors.findSealed(userId)
      if (app !== undefined) await reseal(app)
    },

    /** Reseals every app. Returns how many were resealed, and how many no secret opens. */
    all: async (): Promise<{ resealed: number; unopened: number }> => {
      const count = { resealed: 0, unopened: 0 }
      let page = await secondFactors.listSealed('')
      for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
        for (const app of page) {
          const { isResealed, isOpened } = await reseal(app)
          if (isResealed) count.resealed += 1
          if (!isOpened) count.unopened += 1
        }
        page = await secondFactors.listSealed(last.id)
      }
      return count
    },
  }
}
