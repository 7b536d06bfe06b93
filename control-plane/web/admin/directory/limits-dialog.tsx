import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { explainFresh } from '../../account/fresh-sign-in.tsx'
import { ConfirmDialog } from '../../controls/dialog.tsx'
import { TextField } from '../../controls/field.tsx'
import { Loaded } from '../../controls/loaded.tsx'
import { adminApi } from '../admin-api.ts'
import type { DirectoryOrganization, LimitsAnswer } from '../admin-answers.ts'
import { limitFields, limitsOf, platformText, STORAGE_LABEL, textsOf, type LimitName } from './limit-fields.ts'
import { ReasonField } from '../reason-field.tsx'

type Texts = Record<LimitName, string>
type Props = { organization: DirectoryOrganization; onClose: () => void }

/** The limits of one organization, over the defaults of the platform. */
export function LimitsDialog({ organization: { orgId, orgName, orgSlug, mode }, onClose }: Props) {
  const [changed, setChanged] = useState<Texts>()
  const [reason, setReason] = useState('')
  const found = useQuery({
    queryKey: ['admin', 'limits', orgId],
    queryFn: ({ signal }) => adminApi.readLimits(orgId, signal),
  })
  const texts = changed ?? textsOf(found.data?.own ?? {})
  const { own, problems } = limitsOf(texts)

  return (
    <ConfirmDialog
      title={`Limits of ${orgName}`}
      confirm="Set limits"
      ready={changed !== undefined && problems.size === 0 && reason.trim().length >= 3}
      onConfirm={async () => {
        await adminApi.setLimits(orgId, { reason: reason.trim(), confirmation: orgSlug, own })
        await found.refetch()
      }}
      onClose={onClose}
      explainFailure={explainFresh}
    >
      <p>An empty field takes the default of the platform. A change applies within seconds, without a restart.</p>
      <Loaded query={found} what="its limits">
        {({ platform }: LimitsAnswer) => (
          <>
            {limitFields.map(({ name, label }) => (
              <LimitField key={name} {...{ name, label, texts, problems, platform }} onChange={setChanged} />
            ))}
            {mode === 'cloud_hosted' && (
              <LimitField
                name="storageMaxSize"
                label={STORAGE_LABEL}
                {...{ texts, problems, platform }}
                onChange={setChanged}
              />
            )}
          </>
        )}
      </Loaded>
      <ReasonField reason={reason} onChange={setReason} />
    </ConfirmDialog>
  )
}

type FieldProps = {
  name: LimitName
  label: string
  texts: Texts
  problems: Map<LimitName, string>
  platform: LimitsAnswer['platform']
  onChange: (texts: Texts) => void
}

function LimitField({ name, label, texts, problems, platform, onChange }: FieldProps) {
  return (
    <TextField
      label={label}
      value={texts[name]}
      autoComplete="off"
      spellCheck={false}
      inputMode={name === 'storageMaxSize' ? 'text' : 'decimal'}
      problem={problems.get(name)}
      hint={`Platform: ${platformText(platform, name)}.`}
      onChange={(event) => onChange({ ...texts, [name]: event.target.value })}
    />
  )
}
