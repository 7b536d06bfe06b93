{{- define "svc.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- (contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name)) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "svc.selectorLabels" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "svc.labels" -}}
{{ include "svc.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: svc-platform
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- range $key, $value := .root.Values.commonLabels }}
{{ $key }}: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "svc.image" -}}
{{- $repository := printf "%s/%s" .root.Values.imageRegistry .image.repository -}}
{{- if .image.digest -}}
{{ $repository }}@{{ .image.digest }}
{{- else -}}
{{ $repository }}:{{ default .root.Chart.AppVersion .image.tag }}
{{- end -}}
{{- end -}}

{{- define "svc.daemonRepository" -}}
{{- default (printf "%s/svcd" .Values.imageRegistry) .Values.daemons.image.repository -}}
{{- end -}}

{{- define "svc.controlPlaneAccount" -}}
{{- default (printf "%s-control-plane" (include "svc.fullname" .)) .Values.controlPlane.serviceAccount.name -}}
{{- end -}}

{{- define "svc.operatorAccount" -}}
{{- default (printf "%s-operator" (include "svc.fullname" .)) .Values.operator.serviceAccount.name -}}
{{- end -}}

{{- define "svc.hasRedis" -}}
{{- if or .Values.redis.url .Values.redis.existingSecret .Values.trial.valkey.enabled -}}true{{- end -}}
{{- end -}}

{{- define "svc.webIsScaled" -}}
{{- if or .Values.web.autoscaling.enabled (gt (int .Values.web.replicas) 1) -}}true{{- end -}}
{{- end -}}

{{- /* Host and port of an origin. */ -}}
{{- define "svc.host" -}}
{{- regexReplaceAll "^https?://" . "" -}}
{{- end -}}

{{- /* Host of an origin as Ingress and HTTPRoute take it: no port, and a wildcard for the label. */ -}}
{{- define "svc.hostname" -}}
{{- regexReplaceAll ":[0-9]+$" (include "svc.host" .) "" | replace "{label}" "*" -}}
{{- end -}}

{{- define "svc.isLoopback" -}}
{{- if has (include "svc.hostname" .) (list "localhost" "127.0.0.1" "[::1]") -}}true{{- end -}}
{{- end -}}
