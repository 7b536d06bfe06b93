{{- define "svcd.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- (contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name)) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "svcd.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "svcd.labels" -}}
{{ include "svcd.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- range $key, $value := .Values.commonLabels }}
{{ $key }}: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- /* Variables as a map, so that no name is there twice. */ -}}
{{- define "svcd.variables" -}}
{{- $variables := dict
  "SVC_HOME" "/data"
  "SVC_LOG_LEVEL" .Values.logLevel
  "SVC_PROBE_PORT" "7383"
  "SVC_PROBE_HOST" "0.0.0.0"
-}}
{{- if .Values.relay.url -}}
{{- $_ := set $variables "SVC_RELAY_URL" .Values.relay.url -}}
{{- $_ := set $variables "SVC_RELAY_TOKEN_FILE" "/var/run/svc/relay/token" -}}
{{- if .Values.relay.allowInsecure -}}
{{- $_ := set $variables "SVC_ALLOW_INSECURE_RELAY" "1" -}}
{{- end -}}
{{- end -}}
{{- if .Values.local.enabled -}}
{{- $variables = merge $variables (dict
  "SVC_HOST" "0.0.0.0"
  "SVC_PORT" "7382"
  "SVC_ALLOW_NON_LOOPBACK" "1"
  "SVC_ALLOWED_HOSTS" (join "," .Values.local.allowedHosts)
) -}}
{{- else -}}
{{- $_ := set $variables "SVC_LISTEN" "tunnel-only" -}}
{{- end -}}
{{- toYaml $variables -}}
{{- end -}}
