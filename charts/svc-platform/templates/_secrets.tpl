{{- /* Name of the Secret that the chart itself makes and keeps. */ -}}
{{- define "svc.ownSecret" -}}
{{- printf "%s-generated" (include "svc.fullname" .) -}}
{{- end -}}

{{- /* Name of the Secret with the addresses that the values hold. */ -}}
{{- define "svc.addressSecret" -}}
{{- printf "%s-addresses" (include "svc.fullname" .) -}}
{{- end -}}

{{- define "svc.databaseSecret" -}}
{{- if .Values.database.existingSecret -}}
name: {{ .Values.database.existingSecret }}
key: {{ .Values.database.existingSecretKey }}
{{- else if .Values.database.url -}}
name: {{ include "svc.addressSecret" . }}
key: database-url
{{- else -}}
name: {{ include "svc.fullname" . }}-trial-postgres
key: url
{{- end -}}
{{- end -}}

{{- /* Address of the owner of the schema; empty where the application's address is the owner's. */ -}}
{{- define "svc.ownerSecret" -}}
{{- if .Values.database.ownerSecretKey -}}
name: {{ .Values.database.existingSecret }}
key: {{ .Values.database.ownerSecretKey }}
{{- else if .Values.trial.postgres.enabled -}}
name: {{ include "svc.fullname" . }}-trial-postgres
key: owner-url
{{- end -}}
{{- end -}}

{{- define "svc.redisSecret" -}}
{{- if .Values.redis.existingSecret -}}
name: {{ .Values.redis.existingSecret }}
key: {{ .Values.redis.existingSecretKey }}
{{- else if .Values.redis.url -}}
name: {{ include "svc.addressSecret" . }}
key: redis-url
{{- else -}}
name: {{ include "svc.fullname" . }}-trial-valkey
key: url
{{- end -}}
{{- end -}}

{{- define "svc.authSecret" -}}
{{- if .Values.auth.existingSecret -}}
name: {{ .Values.auth.existingSecret }}
key: {{ .Values.auth.existingSecretKey }}
{{- else -}}
name: {{ include "svc.ownSecret" . }}
key: auth-secret
{{- end -}}
{{- end -}}
