// Resource definitions that the charts make objects of. Nothing is compiled: only the files of the modules are read.
module crds

go 1.26.0

require (
	github.com/prometheus-operator/prometheus-operator v0.85.0
	sigs.k8s.io/gateway-api v1.6.3
)
