# cuDNN's header, if there is one. The build needs only the header: the library is opened at run time.

# ks_find_cudnn(RESULT): RESULT is true if cudnn.h of cuDNN 9 is next to CUDA's headers or on the usual
# path; KERNSWEEP_CUDNN_INCLUDE is set then.
function(ks_find_cudnn result)
  set(${result} FALSE PARENT_SCOPE)
  find_path(KERNSWEEP_CUDNN_INCLUDE cudnn.h HINTS ${KERNSWEEP_CUDA_INCLUDE})
  if(NOT KERNSWEEP_CUDNN_INCLUDE)
    message(STATUS "CUDA pack: without cuDNN (no cudnn.h)")
    return()
  endif()
  file(STRINGS ${KERNSWEEP_CUDNN_INCLUDE}/cudnn_version.h said REGEX "#define CUDNN_MAJOR +[0-9]+")
  if(NOT said MATCHES "CUDNN_MAJOR +9")
    message(STATUS "CUDA pack: without cuDNN (${KERNSWEEP_CUDNN_INCLUDE}/cudnn.h is not that of version 9)")
    set(KERNSWEEP_CUDNN_INCLUDE KERNSWEEP_CUDNN_INCLUDE-NOTFOUND CACHE PATH "" FORCE)
    return()
  endif()
  message(STATUS "CUDA pack: with cuDNN, by ${KERNSWEEP_CUDNN_INCLUDE}/cudnn.h")
  set(${result} TRUE PARENT_SCOPE)
endfunction()
